import type { ListQuery } from '@/lib/contract/lists/list-query';
import { parseListQuery } from '@/lib/contract/lists/list-query';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** Filter, order and page from a page's address, read the way the browser reads them. */
export async function readListQuery(given: SearchParams): Promise<ListQuery> {
  return parseListQuery(await toParams(given));
}

/** What the address of a page asks for. */
export async function toParams(given: SearchParams): Promise<URLSearchParams> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(await given)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) params.set(name, first);
  }
  return params;
}
