import type { CountedNames } from '../../figures';
import { formatNamespaces, formatNumber } from '../../figures';
import { catalogue } from '../catalogue';

/** What the filters of lists say. */
export const t = catalogue({
  search: (noun: string) => `Search ${noun}`,
  readingThe: (noun: string) => `Reading the ${noun}.`,
  namespace: 'Namespace',
  allNamespaces: 'All namespaces',
  owner: 'Owner',
  anyOwner: 'Any owner',
  noOwner: 'No owner',
  labels: 'Labels',
  labelSelector: 'Label selector',
  addALabel: 'Labels: app=web, tier in (a,b)',
  filterBy: (label: string, chosen: string) => `${label}: ${chosen}`,
  several: (label: string, count: number) => `${label} (${formatNumber(count)})`,
  choice: (word: string, count: number) => `${word} (${formatNumber(count)})`,
  filters: 'Filters',
  removeFilter: (label: string, value: string) => `Remove filter ${label}: ${value}`,
  clearFilters: 'Clear filters',
  theSelectorCannotBeRead: 'The label selector cannot be read',
  noOwnersHere: 'Nothing in this list has an owner.',
  clear: 'Clear',
  noneThatYouMaySee: (noun: string) => `No ${noun} that you may see`,
  youMaySeeOnlyThoseIn: (noun: string, within: CountedNames) => `You may see ${noun} only in ${formatNamespaces(within)}.`,
  onlyIn: (counted: string, within: CountedNames) => `${counted}, in ${formatNamespaces(within)}`,
  othersRequireTheRight: (resource: string) => `Other namespaces require the right "list" on ${resource}.`,
});
