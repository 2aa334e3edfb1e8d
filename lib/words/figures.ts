import { fromCatalogue } from './catalogue/catalogue';

const AND = fromCatalogue('and');
// Made once: making one costs many times what using it does.
const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number for people: 2005 is `2,005`. */
export function sayNumber(value: number): string {
  return NUMBERS.format(value);
}

/** A share in percent: `20%`, `33.3%`. */
export function sayPercent(value: number): string {
  return `${sayNumber(value)}%`;
}

/** A count of things: `1 replica`, `2 replicas`. Words that do not simply take an s give their plural. */
export function sayCount(count: number, one: string, many = `${one}s`): string {
  return `${sayNumber(count)} ${count === 1 ? one : many}`;
}

/** Names one after another: `a`, `a and b`, `a, b and c`. */
export function sayList(names: readonly string[], conjunction = AND): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** How long something took: `12 ms`, `1.5 s`. What is below a clock tick is told as such, not as nothing. */
export function sayTook(ms: number): string {
  if (ms < 1) return '< 1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${sayNumber(ms / 1000)} s`;
}
