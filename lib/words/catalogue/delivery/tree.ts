import { formatNumber } from '../../figures';
import { catalogue } from '../catalogue';

/** What the tree of objects says. */
export const t = catalogue({
  searchObjects: 'Search objects',
  kind: 'Kind',
  allKinds: 'All kinds',
  status: 'Status',
  anyStatus: 'Any status',
  anythingButCurrent: (unwell: number) => `Anything but current (${formatNumber(unwell)})`,
  clear: 'Clear filters',
  in: 'in',
  inAfter: ', in',
  polled: 'polled',
  asOf: 'as of',
  printed: (from: number, to: number, total: number) =>
    `Only objects ${formatNumber(from)}–${formatNumber(to)} of ${formatNumber(total)} are printed.`,
  objects: 'Objects',
  theseLinesCouldNotBe: (error: string) => `These lines could not be read: ${error}`,
});
