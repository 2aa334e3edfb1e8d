import { fromCatalogue } from '../catalogue/catalogue';
import { formatList } from '../figures';

const IS_ALSO_IN = fromCatalogue(' who is also in ');
const ARE_ALSO_IN = fromCatalogue(' who are also in ');

/** Of which groups somebody must be: of any in a list, and of one in each list. `a or b`, `a or b who is also in c`. */
export function formatMembers(lists: readonly (readonly string[])[], people = 1): string {
  return lists.map((groups) => formatList(groups, 'or')).join(people === 1 ? IS_ALSO_IN : ARE_ALSO_IN);
}
