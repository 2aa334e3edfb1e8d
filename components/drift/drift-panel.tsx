'use client';

import { CircleCheck, CircleDashed, CircleHelp, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { useApplicationRefusal } from '@/components/live/application-rights';
import type { Staleness } from '@/components/live/staleness';
import { cx } from '@/components/ui/cx';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { DriftedObject } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { formatList } from '@/lib/words/figures';
import { DriftLine } from './drift-line';
import { countDrift } from './drift-words';
import { RefusedPanel } from './refused-panel';

/** So few are opened from the start: nobody should have to ask for the one thing there is to see. */
const OPENED_AT_ONCE = 1;
/** From so many on the list scrolls by itself, so that the rest of the page stays near. */
const MANY = 12;

interface DriftPanelProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** What an application has otherwise than its newest revision wants it, and what becomes of that. */
export function DriftPanel({ application, staleness }: DriftPanelProps) {
  const { drift } = application;
  if (drift.state === 'applying' && drift.repair.failing === true) return <RefusedPanel application={application} staleness={staleness} />;
  if (drift.objects.length === 0) {
    return (
      <Panel title={t.drift} note={countDrift(drift)}>
        <Nothing application={application} staleness={staleness} />
      </Panel>
    );
  }
  return <DriftList application={application} staleness={staleness} />;
}

function DriftList({ application, staleness }: DriftPanelProps) {
  const { drift, ns, name, deleting } = application;
  const right = useApplicationRefusal(application, 'put-back');
  const [openAtOnce] = useState(drift.objects.length <= OPENED_AT_ONCE);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (id: string) => chosen.get(id) ?? openAtOnce;
  const rest = drift.drifted + drift.left - drift.objects.length;
  return (
    <Panel title={t.drift} note={countDrift(drift)}>
      {drift.drifted > 0 ? (
        <p className="border-b bg-sunken px-4 py-2 text-ink-2 text-xs">
          <Sentence text={drift.repair.why} />
        </p>
      ) : null}
      <ul
        aria-label={t.objectsThatDifferFrom(comparedWith(drift) || t.theRevision)}
        className={cx('divide-y', drift.objects.length > MANY && 'max-h-[70dvh] overflow-y-auto md:max-h-[40rem]')}
      >
        {drift.objects.map((object: DriftedObject) => (
          <DriftLine
            key={object.id}
            object={object}
            place={{ ns, name }}
            isOpen={isOpen(object.id)}
            onToggle={() => setChosen(new Map(chosen).set(object.id, !isOpen(object.id)))}
            blocked={deleting ? t.theApplicationIsBeingDeleted : right}
            staleness={staleness}
          />
        ))}
      </ul>
      {rest > 0 ? (
        <p className="border-t bg-sunken px-4 py-2 text-ink-3 text-xs">{t.theFirstAreListedMore(drift.objects.length, rest)}</p>
      ) : null}
    </Panel>
  );
}

/** The revision, and those that a rollout serves beside it. */
const comparedWith = ({ revision, beside = [] }: ApplicationDetail['drift']) =>
  formatList([...(revision === null ? [] : [revision]), ...beside]);

function Nothing({ application: { drift, objects }, staleness }: DriftPanelProps) {
  if (drift.state === 'unknown')
    return (
      <Line icon={<CircleHelp size={15} aria-hidden className="text-odd" />}>
        {rich(t.theComparisonIsNotPossible(<Sentence text={drift.why} />))}
      </Line>
    );
  if (drift.state === 'applying' && drift.repair.when === 'waits') {
    return (
      <Line icon={<CircleX size={15} aria-hidden className="text-bad" />}>
        {rich(
          t.isNotAppliedYetSo(
            drift.revision ?? '',
            <span className="text-ink-3">
              <Sentence text={drift.repair.why} />
            </span>,
          ),
        )}
      </Line>
    );
  }
  if (drift.state === 'applying') {
    return (
      <Line icon={<CircleDashed size={15} aria-hidden className="text-busy" />}>
        {rich(
          t.isBeingAppliedItIs(
            drift.revision ?? '',
            <span className="text-ink-3">
              <Sentence text={drift.why} />
            </span>,
          ),
        )}
      </Line>
    );
  }
  if (drift.unknown > 0) {
    return (
      <Line icon={<CircleHelp size={15} aria-hidden className="text-odd" />}>
        {rich(
          t.theRestMatches(
            t.objectsCannotBeCompared(drift.unknown),
            comparedWith(drift),
            <HowSeen oldestPoll={objects.oldestPoll} staleness={staleness} />,
          ),
        )}
      </Line>
    );
  }
  return (
    <Line icon={<CircleCheck size={15} aria-hidden className="text-good" />}>
      {rich(t.everythingMatches(comparedWith(drift), <HowSeen oldestPoll={objects.oldestPoll} staleness={staleness} />))}
    </Line>
  );
}

/** By watches, or as of the oldest poll; of what is stale the page says since when. */
function HowSeen({ oldestPoll, staleness }: { readonly oldestPoll: string | null; readonly staleness: Staleness | null }) {
  if (staleness !== null) {
    return <span className="text-warn">{t.asLastSeen}</span>;
  }
  if (oldestPoll === null) return <span className="text-ink-3">{t.fromLiveWatches}</span>;
  return <span className="text-ink-3">{rich(t.asPolled(<Ago at={oldestPoll} />))}</span>;
}

function Line({ icon, children }: { readonly icon: ReactNode; readonly children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 px-4 py-2.5">
      <span className="mt-[2px] shrink-0">{icon}</span>
      <span className="min-w-0">{children}</span>
    </p>
  );
}
