import { fromCatalogue } from './catalogue/catalogue';
import type { Noun } from './figures';
import { formatCount, formatCountOf, formatNumber, formatRange } from './figures';

const MAX_NAMED = 3;

/** How often something was seen. */
export function formatTimes(count: number): string {
  return fromCatalogue(formatCount(count, 'time'));
}

/** Where in a table one is: rows before this page, on it, and after it as far as the cluster says. */
export function formatRows({
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
  const range = here === 0 ? fromCatalogue('none') : formatRange(before + 1, before + here);
  if (remaining !== null) return fromCatalogue(`${range} of ${formatCountOf(before + here + remaining, noun)}`);
  return `${range} ${noun.many}`;
}

/** How a group is called: the one without a name is the core of Kubernetes. */
export function formatGroup(group: string): string {
  return group === '' ? fromCatalogue('core') : group;
}

/** That a look for a name ended before the list did. */
export function formatSearchProgress(scanned: number, found: number): string {
  return fromCatalogue(
    `${formatCount(found, 'match', 'matches')} among the ${formatNumber(scanned)} objects read so far. There are more: continue, or filter by namespace or label.`,
  );
}

/** Kinds of owned objects that somebody may not read. */
export function formatHiddenKinds(kinds: readonly string[]): string {
  return fromCatalogue(`It owns more that you may not read: ${kinds.join(', ')}.`);
}

/** Some namespaces by name, in order, and how many more there are. */
export function formatNamespaces(namespaces: readonly string[]): string {
  const named = [...namespaces].sort().slice(0, MAX_NAMED).join(', ');
  const others = namespaces.length - MAX_NAMED;
  return fromCatalogue(`namespace${namespaces.length === 1 ? '' : 's'} ${named}${others > 0 ? ` and ${others} more` : ''}`);
}
