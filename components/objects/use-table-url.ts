'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';

/** What an address says of a table of objects. */
export interface TableUrl {
  readonly ns?: string | undefined;
  readonly labels?: string | undefined;
  readonly q?: string | undefined;
  readonly version?: string | undefined;
  /** True where columns are shown that the API server leaves to wide screens. */
  readonly wide: boolean;
}

/** What narrows a table of objects lives in the address, so that a view can be shared. */
export function useTableUrl(): {
  readonly asked: TableUrl;
  readonly change: (change: Partial<Record<keyof TableUrl, string | boolean>>) => void;
} {
  const { params, write } = useAddress();
  const text = (name: string) => params.get(name)?.slice(0, 500) || undefined;
  const asked = { ns: text('ns'), labels: text('labels'), q: text('q'), version: text('version'), wide: params.get('wide') === '1' };
  const change = (wanted: Partial<Record<keyof TableUrl, string | boolean>>) => {
    write(changeListUrl(new URLSearchParams(globalThis.location.search), wanted));
  };
  return { asked, change };
}
