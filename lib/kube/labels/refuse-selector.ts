import type { SelectorProblem } from './selector-text';
import { readSelector } from './selector-text';

const EXAMPLE = 'labels must be a selector such as "app=web,tier in (a,b)"';

/** Why a label selector cannot be read, in a sentence; null for one that can. */
export function refuseSelector(text: string): string | null {
  const read = readSelector(text);
  return read.ok ? null : formatSelectorProblem(read.problem);
}

function formatSelectorProblem(problem: SelectorProblem): string {
  switch (problem.kind) {
    case 'key':
      return `${EXAMPLE}, found ${problem.key === '' ? 'no key' : `"${problem.key}"`} where the key of a label belongs`;
    case 'value':
      return `the value of ${problem.key} must be up to 63 letters, digits, "-", "_" or ".", found "${problem.value}"`;
    case 'number':
      return `the value of ${problem.key} must be a whole number after > and <, found "${problem.value}"`;
    case 'place':
      return formatPlace(problem);
  }
}

function formatPlace({ place, found, key }: SelectorProblem & { readonly kind: 'place' }): string {
  const what = found === '' ? 'nothing' : `"${found}"`;
  switch (place) {
    case 'start':
      return `${EXAMPLE}, found ${what} where the key of a label belongs`;
    case 'next':
      return `${EXAMPLE}, found ${what} after a comma`;
    case 'after':
      return `requirements must be separated by commas, found ${what} after ${key}`;
    case 'operator':
      return `the operator after ${key} must be =, !=, in, notin, > or <, found ${what}`;
    case 'value':
      return `the value of ${key} must be a string, found ${what}`;
    case 'open':
      return `the values of ${key} must be in parentheses, such as (a,b), found ${what}`;
    case 'close':
      return `the values of ${key} must end with ")", found ${what}`;
  }
}
