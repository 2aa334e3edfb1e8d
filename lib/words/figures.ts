import { fromCatalogue } from './catalogue/catalogue';

const AND = fromCatalogue('and');
// Made once: making one costs many times what using it does.
const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number for people: 2005 is `2,005`. */
export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

/** A share in percent: `20%`, `33.3%`. */
export function formatPercent(value: number): string {
  return `${formatNumber(value)}%`;
}

/** A count of things: `1 replica`, `2 replicas`. Words that do not simply take an s give their plural. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** A thing that is counted, as it is called: one of it, and any other number. */
export interface Noun {
  readonly one: string;
  readonly many: string;
}

/** A count of things that are named elsewhere: `1 tracker`, `2,005 trackers`. */
export function formatCountOf(count: number, { one, many }: Noun): string {
  return formatCount(count, one, many);
}

/** From one place in a list to another: `51–100`, and a single place by itself. */
export function formatRange(first: number, last: number): string {
  return first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`;
}

/** Names one after another: `a`, `a and b`, `a, b and c`. */
export function formatList(names: readonly string[], conjunction = AND): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** How many there are of something, and the first by name. */
export interface CountedNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** Namespaces by name, of many their number and a few: `namespaces pay and shop`, `7 namespaces, such as pay and shop`. */
export function formatNamespaces({ count, names }: CountedNames): string {
  if (count > names.length) return `${formatCount(count, 'namespace')}, such as ${formatList(names)}`;
  return `${count === 1 ? 'namespace' : 'namespaces'} ${formatList(names)}`;
}

/** How long something took: `12 ms`, `1.5 s`. What is below a clock tick is told as such, not as nothing. */
export function formatElapsed(ms: number): string {
  if (ms < 1) return '< 1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${formatNumber(ms / 1000)} s`;
}
