'use client';

import { useQuery } from '@tanstack/react-query';
import { CircleX } from 'lucide-react';
import { useState } from 'react';
import { useApplicationRefusal } from '@/components/live/application-rights';
import type { Staleness } from '@/components/live/staleness';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { RefusedObjects } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { DriftLine } from './drift-line';
import { driftQueries } from './drift-queries';
import { formatNotApplied } from './drift-words';

interface RefusedPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** Why the newest revision could not be applied, object by object, and what can be done about those that no change brings to it. */
export function RefusedPanel({ application, staleness }: RefusedPanelProps) {
  const { ns, name, drift, generation, deleting } = application;
  const right = useApplicationRefusal(application, 'put-back');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const refused = useQuery(driftQueries.refused({ ns, name }, `${generation} ${drift.revision ?? ''} ${drift.repair.why}`));
  const objects = refused.data?.objects ?? [];
  // The reason of each object stands beside it; the whole sentence is for what has none of its own.
  const isToldBelow = refused.isPending || objects.length > 0;
  const toggle = (id: string) => setOpen(new Set(open.has(id) ? [...open].filter((one) => one !== id) : [...open, id]));
  return (
    <Panel title={t.notApplied}>
      <p className="flex items-start gap-2 px-4 py-2.5">
        <CircleX size={15} aria-hidden className="mt-[2px] shrink-0 text-bad" />
        <span className="min-w-0 wrap-anywhere">
          {formatNotApplied(drift.revision, objects)}{' '}
          <span className="text-ink-3">{isToldBelow ? t.theEngineRetriesWithBack : <Sentence text={drift.repair.why} />}</span>
        </span>
      </p>
      <QueryView query={refused} awaits={t.askingTheClusterWhichObjects} pending={<SkeletonRows rows={2} columns={2} />}>
        {(view) => (
          <>
            {view.objects.length === 0 ? null : (
              <ul aria-label={t.objectsOfThatTheCluster(view.revision ?? t.theNewestRevisionInline)} className="divide-y border-t">
                {view.objects.map((object) => (
                  <DriftLine
                    key={object.id}
                    object={object}
                    place={{ ns, name }}
                    isOpen={open.has(object.id)}
                    onToggle={() => toggle(object.id)}
                    blocked={deleting ? t.theApplicationIsBeingDeleted : right}
                    staleness={staleness}
                  />
                ))}
              </ul>
            )}
            <Rest view={view} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

/** What the list does not show: objects that are hidden or too many, or that nothing is refused now. */
function Rest({ view: { objects, more } }: { readonly view: RefusedObjects }) {
  const words = formatRest(objects.length, more);
  return words === null ? null : <p className="border-t bg-sunken px-4 py-2 text-ink-3 text-xs">{words}</p>;
}

function formatRest(shown: number, more: number): string | null {
  if (shown + more === 0) return t.aDryRunNowSucceeds;
  return more === 0 ? null : t.objectsMoreRefusedThatAre(more, more === 1 ? t.is : t.are);
}
