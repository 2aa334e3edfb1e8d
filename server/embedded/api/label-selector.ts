import type { SelectorProblem } from '@/lib/kube/labels/selector-text';
import { meetsAll, readSelector } from '@/lib/kube/labels/selector-text';
import { labelValue, qualifiedName } from '../kinds/names';
import { badRequest } from './failures';

/** True for the labels it chooses. */
export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** Reads a label selector as `?labelSelector=` carries it; refuses a bad one in the API server's words. */
export function parseLabelSelector(text: string | undefined): LabelMatcher {
  if (text === undefined || text.trim() === '') return () => true;
  const read = readSelector(text);
  if (!read.ok) throw badRequest(wordsOf(read.problem));
  return (labels) => meetsAll(read.requirements, labels);
}

function wordsOf(problem: SelectorProblem): string {
  switch (problem.kind) {
    case 'key':
      return `unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(problem.key)}: ${qualifiedName(problem.key).join('; ')}`;
    case 'value': {
      const { at, key, value } = problem;
      return `unable to parse requirement: values[${at}][${key}]: Invalid value: ${JSON.stringify(value)}: ${labelValue(value)[0]}`;
    }
    case 'number':
      return `unable to parse requirement: values[0]: Invalid value: ${JSON.stringify(problem.value)}: for 'Gt', 'Lt' operators, the value must be an integer`;
    case 'place':
      return wordsOfPlace(problem);
  }
}

function wordsOfPlace({ place, found }: SelectorProblem & { readonly kind: 'place' }): string {
  switch (place) {
    case 'start':
      return `found '${found}', expected: !, identifier, or 'end of string'`;
    case 'after':
      return `found '${found}', expected: ',' or 'end of string'`;
    case 'next':
      return `found '${found}', expected: identifier after ','`;
    case 'operator':
      return `unable to parse requirement: found '${found}', expected: in, notin, =, ==, !=, gt, lt`;
    case 'value':
      return `unable to parse requirement: found '${found}', expected: identifier`;
    case 'open':
      return `unable to parse requirement: found '${found}' expected: '('`;
    case 'close':
      return "unable to parse requirement: found '', expected: ',' or ')'";
  }
}
