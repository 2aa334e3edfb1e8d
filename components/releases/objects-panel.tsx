'use client';

import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { Health } from '@/components/ui/status/status';
import { Sentence } from '@/components/ui/time/sentence';
import type { ObjectStatus, statusesBody } from '@/lib/contract/object-statuses';
import { t } from '@/lib/words/catalogue/releases/releases';
import type { HelmPlace } from './release-queries';
import { releaseQueries } from './release-queries';

/** The objects of the newest stored revision, each with its status. */
export function ObjectsPanel({ place, stored, pace }: HelmPlace) {
  const isAtWork = useQuery(releaseQueries.log(place, stored, pace)).data?.log?.until === null;
  return <StoredObjects objects={useQuery(releaseQueries.objects(place, stored, pace ?? (isAtWork ? 'at-work' : 'idle')))} />;
}

/** The objects of what Helm stored, however they were read. */
export function StoredObjects({ objects }: { readonly objects: UseQueryResult<z.infer<typeof statusesBody>> }) {
  return (
    <Panel title={t.objects} note={objects.data && formatProgress(objects.data.objects)}>
      <QueryView
        query={objects}
        awaits={t.readingWhatHelmStoredAnd}
        pending={<SkeletonRows rows={3} columns={3} />}
        isEmpty={(data) => data.objects.length === 0}
        empty={<p className="px-4 py-6 text-ink-3">{t.helmHasStoredNoRevision}</p>}
      >
        {(data) => (
          <ul className="max-h-[420px] divide-y overflow-y-auto">
            {data.objects.map((object) => (
              <ObjectLine key={`${object.group} ${object.kind} ${object.ns} ${object.name}`} object={object} />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function formatProgress(objects: readonly ObjectStatus[]): string {
  const current = objects.filter(({ status }) => status === 'Current').length;
  return current === objects.length ? String(objects.length) : t.ofCurrent(current, objects.length);
}

function ObjectLine({ object: { kind, ns, name, status, message } }: { readonly object: ObjectStatus }) {
  return (
    <li className="grid grid-cols-1 gap-x-4 px-4 py-2 sm:grid-cols-[minmax(0,1fr)_9rem_minmax(0,1fr)]">
      <span className="min-w-0 wrap-anywhere">
        <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
        {ns ? <span className="text-ink-3"> {ns}</span> : null}
      </span>
      <Health health={status} />
      <span className="min-w-0 text-ink-3 text-xs wrap-anywhere">
        <Sentence text={message} />
      </span>
    </li>
  );
}
