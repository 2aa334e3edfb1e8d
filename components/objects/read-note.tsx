'use client';

import { RefreshCw } from 'lucide-react';
import { Ago } from '@/components/live/ago';
import { Button } from '@/components/ui/button';
import type { KindRow } from '@/lib/contract/object-rows';

export interface ReadNoteProps {
  readonly query: { readonly data: { readonly readAt: string } | undefined; readonly isFetching: boolean; readonly refetch: () => unknown };
  readonly of: KindRow | undefined;
}

/** How old what is shown is, and the way to read it anew: nothing here is kept by the server. */
export function ReadNote({ query, of }: ReadNoteProps) {
  if (query.data === undefined) return null;
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-ink-3 text-xs">
      {of ? (
        <span>
          {of.group === '' ? of.version : `${of.group}/${of.version}`}
          {of.namespaced ? '' : ', of the whole cluster'}
        </span>
      ) : null}
      <span>
        Read as you <Ago at={query.data.readAt} />
      </span>
      <Button look="ghost" size="icon" aria-label="Read again" onClick={() => query.refetch()}>
        <RefreshCw size={13} aria-hidden />
      </Button>
    </span>
  );
}
