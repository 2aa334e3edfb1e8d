import { isFields } from '@/lib/kube/fields';

/** Reads everything that stands at a path; nothing where the path ends early. */
export type ReadPath = (object: unknown) => readonly unknown[];

const STEP = /\.([A-Za-z0-9_-]+)|\[(\d+|\*)\]|\['([^']+)'\]|\[([A-Za-z0-9_-]+)=([^\]]*)\]/y;

/** One step into a value, or a choice among the entries of a list. */
type Step = string | { readonly member: string; readonly is: string };

/**
 * Compiles `.spec.rules[0].host`, `.status.parents[*].conditions`, `.metadata.labels['a/b']`, `.status.conditions[type=Ready].message`.
 * Throws for text that is no path.
 */
export function compilePath(path: string): ReadPath {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    if (match === null)
      throw new Error(
        `must be a path such as .status.phase, found ${JSON.stringify(path)}, which is invalid from ${JSON.stringify(path.slice(at))}`,
      );
    const [, name, index, quoted, member, is = ''] = match;
    steps.push(member === undefined ? (name ?? index ?? quoted ?? '') : { member, is });
  }
  const [names, choices] = splitSteps(steps);
  if (choices.length === 0) return (object) => follow(object, names);
  return (object) =>
    choices.reduce<readonly unknown[]>((found, step) => found.flatMap((value) => stepInto(value, step)), follow(object, names));
}

/** The names at the start, which lead to one value, and what comes from the first step on that may lead to several. */
function splitSteps(steps: readonly Step[]): readonly [names: readonly string[], choices: readonly Step[]] {
  const names: string[] = [];
  for (const step of steps) {
    if (typeof step !== 'string' || step === '*') break;
    names.push(step);
  }
  return [names, steps.slice(names.length)];
}

const NOTHING: readonly unknown[] = [];

// Most paths are names alone, and a rule asks for dozens of them for every object.
function follow(object: unknown, names: readonly string[]): readonly unknown[] {
  let at = object;
  for (const name of names) {
    if (Array.isArray(at)) {
      if (!/^\d+$/.test(name) || Number(name) >= at.length) return NOTHING;
      at = at[Number(name)];
    } else if (isFields(at) && Object.hasOwn(at, name)) at = at[name];
    else return NOTHING;
  }
  return [at];
}

function stepInto(value: unknown, step: Step): readonly unknown[] {
  if (typeof step === 'string') return step === '*' ? entriesOf(value) : follow(value, [step]);
  return Array.isArray(value) ? value.filter((entry) => isFields(entry) && String(entry[step.member]) === step.is) : NOTHING;
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isFields(value) ? Object.values(value) : NOTHING;
}

/** Whether there is anything: null and what is empty are not. */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isFields(value) || Object.keys(value).length > 0;
}

/** Compiles alternatives parted by `|`: the first that is present counts, and what is no path stands for itself. */
export function compileAlternatives(text: string): ReadPath {
  const readers = text.split('|').map((part): ReadPath => (part.startsWith('.') ? compilePath(part) : () => [part]));
  return (object) => {
    for (const read of readers) {
      const found = read(object).filter(isPresent);
      if (found.length > 0) return found;
    }
    return [];
  };
}
