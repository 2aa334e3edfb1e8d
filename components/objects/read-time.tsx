'use client';

import { RefreshCw } from 'lucide-react';
import { Ago } from '@/components/live/ago';
import { Button } from '@/components/ui/button';
import { rich } from '@/components/ui/words/rich';
import type { KindRow } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';

export interface ReadNoteProps {
  readonly query: { readonly data: { readonly readAt: string } | undefined; readonly isFetching: boolean; readonly refetch: () => unknown };
  readonly of: KindRow | undefined;
}

/** How old what is shown is, and the way to read it anew: nothing here is kept by the server. */
export function ReadTime({ query, of }: ReadNoteProps) {
  if (query.data === undefined) return <span className="block h-7" />; // what stands below stays there once it is read
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-ink-3 text-xs">
      {of ? (
        <span>
          {of.group === '' ? of.version : `${of.group}/${of.version}`}
          {of.namespaced ? '' : t.ofTheWholeCluster}
        </span>
      ) : null}
      <span>{rich(t.readAsYou(<Ago at={query.data.readAt} />))}</span>
      <Button look="ghost" size="icon" aria-label={t.readAgain} onClick={() => query.refetch()}>
        <RefreshCw size={13} aria-hidden />
      </Button>
    </span>
  );
}
