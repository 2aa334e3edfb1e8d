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
      throw new Error(`wants a path such as .status.phase, found ${JSON.stringify(path)} which ends making sense at ${JSON.stringify(path.slice(at))}`);
    const [, name, index, quoted, member, is = ''] = match;
    steps.push(member === undefined ? (name ?? index ?? quoted ?? '') : { member, is });
  }
  return (object) => steps.reduce<readonly unknown[]>((found, step) => found.flatMap((value) => stepInto(value, step)), [object]);
}

function stepInto(value: unknown, step: Step): readonly unknown[] {
  if (typeof step === 'object') return Array.isArray(value) ? value.filter((entry) => isFields(entry) && String(entry[step.member]) === step.is) : [];
  if (step === '*') return Array.isArray(value) ? value : isFields(value) ? Object.values(value) : [];
  if (Array.isArray(value)) return /^\d+$/.test(step) && Number(step) < value.length ? [value[Number(step)]] : [];
  return isFields(value) && Object.hasOwn(value, step) ? [value[step]] : [];
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
