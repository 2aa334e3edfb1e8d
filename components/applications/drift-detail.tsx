'use client';

import { useQuery } from '@tanstack/react-query';
import { RefreshCcw, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { DriftedObject, ObjectDrift } from '@/lib/contract/drift-rows';
import { toDiffRows } from './diff-rows';
import { DiffSides } from './diff-sides';
import { DriftFields } from './drift-fields';
import type { DriftPlace } from './drift-queries';
import { driftQueries } from './drift-queries';
import { whyNotPutBack } from './drift-words';
import { PutBackDialog } from './put-back-dialog';
import { ReplaceDialog } from './replace-dialog';

export interface DriftDetailProps {
  readonly object: DriftedObject;
  readonly place: DriftPlace;
  readonly blocked: string | null;
  readonly staleness: Staleness | null;
}

/** One object close up: its fields with who set them and since when, and what is wanted beside what was found. */
export function DriftDetail({ object, place, blocked, staleness }: DriftDetailProps) {
  const version = `${object.state} ${object.fieldCount} ${object.fields.map(({ path, kind }) => `${path} ${kind}`).join(' ')}`;
  const query = useQuery(driftQueries.object(place, object, version));
  return (
    <div className="border-t bg-canvas px-4 py-3 sm:pl-9">
      <QueryView query={query} awaits={`Reading ${object.kind} ${object.name} from the cluster.`} pending={<SkeletonRows rows={4} columns={3} />}>
        {(drift) => (
          <div className="space-y-3">
            <Head object={object} drift={drift} place={place} blocked={blocked} staleness={staleness} />
            {drift.fields.length === 0 ? null : <DriftFields drift={drift} />}
            {drift.found === null ? null : (
              <DiffSides
                rows={toDiffRows(drift.wanted, drift.found, drift.fields)}
                label={`${object.kind} ${object.name}: what is wanted beside what was found`}
                wantedBy={drift.revision}
              />
            )}
          </div>
        )}
      </QueryView>
    </div>
  );
}

function Head({ object, drift, place, blocked, staleness }: DriftDetailProps & { readonly drift: ObjectDrift }) {
  const [asking, setAsking] = useState<'put-back' | 'replace' | null>(null);
  const { replacement } = drift;
  const held = blocked ?? refusalWhileStale(staleness);
  const why = held ?? (replacement === null ? whyNotPutBack(drift.fields, drift.exists, drift.repair) : `No change brings it back. ${replacement.why}`);
  const close = () => setAsking(null);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 text-ink-3 text-xs">
        {sentenceOf(drift)} {replacement === null ? '' : `The cluster refuses to change it: ${replacement.why} `}Read from the cluster <Ago at={drift.at} />.
        {drift.exists && !drift.notesManagers ? ' This cluster does not record who set a field.' : ''}
      </p>
      <Button blocked={why} onClick={() => setAsking('put-back')}>
        <Undo2 size={13} aria-hidden /> Put back now
      </Button>
      {replacement === null ? null : (
        <Button blocked={held ?? replacement.refused} onClick={() => setAsking('replace')}>
          <RefreshCcw size={13} aria-hidden /> Replace…
        </Button>
      )}
      {asking === 'put-back' ? <PutBackDialog object={object} drift={drift} place={place} blocked={why} onClose={close} /> : null}
      {asking === 'replace' && replacement !== null ? (
        <ReplaceDialog object={object} drift={drift} replacement={replacement} place={place} blocked={held ?? replacement.refused} onClose={close} />
      ) : null}
    </div>
  );
}

function sentenceOf({ exists, fields, revision }: ObjectDrift): string {
  if (!exists) return `It is not in the cluster, and ${revision} wants it.`;
  if (fields.length === 0) return `It is as ${revision} wants it by now.`;
  return `${fields.length === 1 ? 'One field is' : `${fields.length} fields are`} not as ${revision} wants.`;
}
