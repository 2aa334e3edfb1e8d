import { fromCatalogue } from './catalogue/catalogue';
import type { Noun } from './figures';
import { sayCount, sayCountOf, sayNumber, sayRange } from './figures';

const MOST_NAMED = 3;

/** How often something was seen. */
export function sayTimes(count: number): string {
  return fromCatalogue(sayCount(count, 'time'));
}

/** Where in a table one is: rows before this page, on it, and after it as far as the cluster says. */
export function sayRows({
  before,
  here,
  remaining,
  noun,
}: {
  readonly before: number;
  readonly here: number;
  readonly remaining: number | null;
  readonly noun: Noun;
}): string {
  const range = here === 0 ? fromCatalogue('none') : sayRange(before + 1, before + here);
  if (remaining !== null) return fromCatalogue(`${range} of ${sayCountOf(before + here + remaining, noun)}`);
  return `${range} ${noun.many}`;
}

/** How a group is called: the one without a name is the core of Kubernetes. */
export function sayGroup(group: string): string {
  return group === '' ? fromCatalogue('core') : group;
}

/** That a look for a name ended before the list did. */
export function sayLooked(looked: number, found: number): string {
  return fromCatalogue(
    `${sayCount(found, 'match', 'matches')} among the ${sayNumber(looked)} objects read so far. There are more: continue, or filter by namespace or label.`,
  );
}

/** Kinds of owned objects that somebody may not read. */
export function sayHiddenKinds(kinds: readonly string[]): string {
  return fromCatalogue(`It owns more that you may not read: ${kinds.join(', ')}.`);
}

/** Some namespaces by name, in order, and how many more there are. */
export function sayNamespaces(namespaces: readonly string[]): string {
  const named = [...namespaces].sort().slice(0, MOST_NAMED).join(', ');
  const others = namespaces.length - MOST_NAMED;
  return fromCatalogue(`namespace${namespaces.length === 1 ? '' : 's'} ${named}${others > 0 ? ` and ${others} more` : ''}`);
}
