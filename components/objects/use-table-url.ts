'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { changeListUrl } from '@/components/live/list-url';

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
export function useTableUrl(): { readonly asked: TableUrl; readonly change: (change: Partial<Record<keyof TableUrl, string | boolean>>) => void } {
  const params = useSearchParams();
  const path = usePathname();
  const text = (name: string) => params.get(name)?.slice(0, 500) || undefined;
  const asked = { ns: text('ns'), labels: text('labels'), q: text('q'), version: text('version'), wide: params.get('wide') === '1' };
  const change = (wanted: Partial<Record<keyof TableUrl, string | boolean>>) => {
    const next = changeListUrl(new URLSearchParams(globalThis.location.search), wanted);
    globalThis.history.replaceState(null, '', next === '' ? path : `${path}?${next}`);
  };
  return { asked, change };
}
