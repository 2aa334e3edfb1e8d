'use client';

import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { DiffView } from '@/components/ui/data/diff-view';
import { QueryView } from '@/components/ui/data/query-view';
import { Skeleton } from '@/components/ui/data/skeleton';
import { EdgePanel } from '@/components/ui/panel';
import type { WrittenApplication } from '@/lib/contract/change-rows';
import { diffHunks } from '@/lib/std/line-diff';
import { t } from '@/lib/words/catalogue/delivery/editor';
import { editorQueries } from './editor-queries';

export interface EditorConflictProps {
  readonly ns: string;
  readonly name: string;
  /** The text that the person began with. */
  readonly base: string;
  /** Takes their state as what the text is written on; the text stays. */
  readonly onKeep: (theirs: WrittenApplication) => void;
  /** Takes their text instead. */
  readonly onTake: (theirs: WrittenApplication) => void;
}

/** Somebody else changed the application meanwhile: their change is shown, the text that is being written is kept. */
export function EditorConflict({ ns, name, base, onKeep, onTake }: EditorConflictProps) {
  const theirs = useQuery(editorQueries.text(ns, name));
  return (
    <EdgePanel labelledBy="conflict" tone="warn">
      <div role="alert" className="px-6 py-3">
        <h2 id="conflict" className="flex items-center gap-1.5 font-medium text-warn">
          <TriangleAlert size={14} aria-hidden /> {t.someoneElseChangedMeanwhile(name)}
        </h2>
        <p className="mt-1 text-ink-2">{t.yourTextIsKeptNothing}</p>
      </div>
      <div className="space-y-3 border-t px-6 py-3">
        <QueryView query={theirs} awaits={t.readingAsItIsNow(name)} pending={<Skeleton height="h-24" className="w-full" />}>
          {(now) => {
            const lines = diffHunks(base, now.text);
            return (
              <div className="space-y-2.5">
                <h3 className="font-medium text-ink-3 text-xs">{t.theirChange}</h3>
                {lines.length === 0 ? (
                  <p className="text-ink-2">{t.theTextIsUnchangedIt}</p>
                ) : (
                  <DiffView lines={lines} label={t.theirChange} />
                )}
                <div className="flex flex-wrap gap-2">
                  <Button size="md" onClick={() => onKeep(now)}>
                    {t.continueWithMyText}
                  </Button>
                  <Button size="md" look="ghost" onClick={() => onTake(now)}>
                    {t.startOverFromTheirs}
                  </Button>
                </div>
                <p className="text-ink-3 text-xs">{t.continuingWithYourTextReverts}</p>
              </div>
            );
          }}
        </QueryView>
      </div>
    </EdgePanel>
  );
}
