'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import { LONGEST, parseValues } from '@/lib/contract/lists/list-query';

/** What an address says of a table of objects. */
export interface TableUrl {
  /** Namespaces, any of which will do; none are all of them. */
  readonly ns: readonly string[];
  /** Owners, any of which will do; none are all of them. */
  readonly owner: readonly string[];
  readonly labels?: string | undefined;
  readonly q?: string | undefined;
  readonly version?: string | undefined;
  /** True where columns are shown that the API server leaves to wide screens. */
  readonly wide: boolean;
}

type TableChange = Partial<Record<keyof TableUrl, string | boolean | readonly string[]>>;

/** What narrows a table of objects lives in the address, so that a view can be shared. */
export function useTableUrl(): { readonly asked: TableUrl; readonly change: (change: TableChange) => void } {
  const { params, write } = useAddress();
  const text = (name: string) => params.get(name)?.slice(0, LONGEST) || undefined;
  const asked = {
    ns: parseValues(params.getAll('ns').join(',')),
    owner: parseValues(text('owner')),
    labels: text('labels'),
    q: text('q'),
    version: text('version'),
    wide: params.get('wide') === '1',
  };
  const change = ({ ns, ...wanted }: TableChange) => {
    const next = new URLSearchParams(changeListUrl(new URLSearchParams(globalThis.location.search), wanted));
    // Each by itself: the server judges the page of a kind by a namespace that there may be, and a list of them is none.
    if (ns !== undefined) next.delete('ns');
    for (const one of Array.isArray(ns) ? ns : []) next.append('ns', one);
    write(next.toString());
  };
  return { asked, change };
}
