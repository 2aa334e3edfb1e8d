'use client';

import { useQuery } from '@tanstack/react-query';
import { RefreshCcw, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import type { QueryLike } from '@/components/ui/data/query-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import { messageOf } from '@/lib/contract/app-error';
import type { DriftAnswer, DriftedObject, ObjectDrift } from '@/lib/contract/drift-rows';
import { deepEqual } from '@/lib/std/deep-equal';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { ReplaceDialog } from './dialogs/replace-dialog';
import { RevertDialog } from './dialogs/revert-dialog';
import { toDiffRows } from './diff-rows';
import { DiffSides } from './diff-sides';
import { DriftFields } from './drift-fields';
import type { DriftPlace } from './drift-queries';
import { driftQueries } from './drift-queries';
import { formatDifference, notRevertibleReason } from './drift-words';

export interface DriftDetailProps {
  readonly object: DriftedObject;
  readonly place: DriftPlace;
  readonly blocked: string | null;
  readonly staleness: Staleness | null;
}

type Verb = 'put-back' | 'replace';

/** What a dialog was opened for, and the object as it was read then: what is shown is what is sent. */
interface Asking {
  readonly verb: Verb;
  readonly drift: ObjectDrift;
}

/** One object close up: its fields with who set them and since when, and what is wanted beside what was found. */
export function DriftDetail({ object, place, blocked, staleness }: DriftDetailProps) {
  const version = `${object.state} ${object.why ?? ''} ${object.fieldCount} ${object.fields.map(({ path, kind }) => `${path} ${kind}`).join(' ')}`;
  const query = useQuery(driftQueries.object(place, object, version));
  const [asking, setAsking] = useState<Asking | null>(null);
  const held = blocked ?? refusalWhileStale(staleness);
  return (
    <div className="border-t bg-canvas px-4 py-3 sm:pl-9">
      <QueryView query={query} awaits={t.readingFromTheCluster(object.kind, object.name)} pending={<SkeletonRows rows={4} columns={3} />}>
        {(drift) =>
          drift.state === 'uncompared' ? (
            <p className="text-ink-2 text-xs">{rich(t.theComparisonIsNotPossible(<Sentence text={drift.why} />))}</p>
          ) : (
            <Compared drift={drift} object={object} held={held} onAsk={(verb) => setAsking({ verb, drift })} />
          )
        }
      </QueryView>
      {asking === null ? null : (
        <AskingDialog asking={asking} reading={query} object={object} place={place} held={held} onClose={() => setAsking(null)} />
      )}
    </div>
  );
}

interface ComparedProps {
  readonly drift: ObjectDrift;
  readonly object: DriftedObject;
  readonly held: string | null;
  readonly onAsk: (verb: Verb) => void;
}

function Compared({ drift, object, held, onAsk }: ComparedProps) {
  return (
    <div className="space-y-3">
      <Head drift={drift} told={object.why} held={held} onAsk={onAsk} />
      {drift.fields.length === 0 ? null : <DriftFields drift={drift} />}
      {drift.live === null ? null : (
        <DiffSides
          rows={toDiffRows(drift.desired, drift.live, drift.fields)}
          label={t.whatIsWantedBesideWhat(object.kind, object.name)}
          wantedBy={drift.revision}
          owners={drift}
        />
      )}
    </div>
  );
}

interface AskingDialogProps {
  readonly asking: Asking;
  /** How the object is read: as it is now, or why that is not known. */
  readonly reading: Pick<QueryLike<DriftAnswer>, 'data' | 'error'>;
  readonly object: DriftedObject;
  readonly place: DriftPlace;
  readonly held: string | null;
  readonly onClose: () => void;
}

function AskingDialog({ asking: { verb, drift }, reading, held, ...shared }: AskingDialogProps) {
  const moved = explainMoved(drift, reading);
  const { replacement } = drift;
  if (verb === 'put-back') return <RevertDialog {...shared} drift={drift} moved={moved} blocked={refusalReason(drift, held)} />;
  return replacement === null ? null : (
    <ReplaceDialog {...shared} drift={drift} replacement={replacement} moved={moved} blocked={held ?? replacement.refused} />
  );
}

interface HeadProps extends Pick<ComparedProps, 'drift' | 'held' | 'onAsk'> {
  /** What the object's line says already. */
  readonly told: string | undefined;
}

function Head({ drift, told, held, onAsk }: HeadProps) {
  const { replacement } = drift;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="min-w-0 flex-1 basis-full text-ink-3 text-xs sm:basis-0">
        {rich(
          t.readFromTheCluster(
            <Sentence text={formatStanding(drift, told)} />,
            <Ago at={drift.at} />,
            drift.exists && !drift.hasManagedFields ? t.thisClusterDoesNotRecord : '',
          ),
        )}
      </p>
      {drift.isApplied ? (
        <Button blocked={refusalReason(drift, held)} onClick={() => onAsk('put-back')}>
          <Undo2 size={13} aria-hidden /> {t.putBackNow}
        </Button>
      ) : null}
      {replacement === null ? null : (
        <Button blocked={held ?? replacement.refused} onClick={() => onAsk('replace')}>
          <RefreshCcw size={13} aria-hidden /> {t.replace}
        </Button>
      )}
    </div>
  );
}

/** How the object stands, without what is told of it already. */
function formatStanding(drift: ObjectDrift, told: string | undefined): string {
  const { replacement, terminating, revision, exists } = drift;
  const untold = (words: string | undefined) => (words === undefined || words === told ? [] : [words]);
  return [
    formatDifference(drift),
    ...untold(terminating ?? undefined).map(asSentence),
    ...(terminating === null || !exists ? [] : [t.onceItIsGoneIt(revision)]),
    ...untold(replacement?.why).map((why) => t.theClusterRefusesThisChange(asSentence(why))),
  ].join(' ');
}

/** Why it cannot be put back; null where it can. */
function refusalReason({ replacement, fields, exists, repair }: ObjectDrift, held: string | null): string | null {
  return held ?? (replacement === null ? notRevertibleReason(fields, exists, repair) : t.itCannotBeRevertedBy(asSentence(replacement.why)));
}

/** Why what a dialog shows holds no more; null while it does. */
function explainMoved(opened: ObjectDrift, { data: now, error }: AskingDialogProps['reading']): string | null {
  if (now === undefined) return error ? t.theObjectCouldNotBeRead(asSentence(messageOf(error))) : t.theObjectChangedWhileThis;
  // Who wrote last changes with each write of a status, which moves nothing that is shown here.
  const seen = (answer: DriftAnswer) => ({ ...answer, at: null, owners: null, lineOwners: null });
  return deepEqual(seen(opened), seen(now)) ? null : t.theObjectHasChangedSince;
}
