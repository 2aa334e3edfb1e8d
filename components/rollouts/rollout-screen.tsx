'use client';

import { ArrowRight, Trash2 } from 'lucide-react';
import Link from 'next/link';
import { useChoices } from '@/components/live/address/choices';
import { Ago, Elapsed } from '@/components/live/ago';
import { ObjectPage } from '@/components/live/live-view';
import type { Staleness } from '@/components/live/staleness';
import { EventsPanel } from '@/components/objects/events-panel';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/components/ui/cx';
import { Empty } from '@/components/ui/data/empty';
import { listBreadcrumbs, ObjectHead } from '@/components/ui/object-head';
import { Panel } from '@/components/ui/panel';
import { usePrinting } from '@/components/ui/print/use-printing';
import { rich } from '@/components/ui/words/rich';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { AttemptsPanel } from './attempts-panel';
import { describeGarbage } from './garbage-words';
import { HistoryPanel } from './history-panel';
import { rolloutQueries } from './rollout-queries';
import { ScaleLanes } from './scale-lanes';
import { WaitPanel } from './wait-panel';

/** One rollout: why it waits, where it stands, what it does to replicas and traffic, who decided what. */
export function RolloutScreen({ ns, name }: { readonly ns: string; readonly name: string }) {
  return (
    <ObjectPage
      query={rolloutQueries.detail(ns, name)}
      head={<ObjectHead breadcrumbs={breadcrumbsOf(ns)} name={name} />}
      awaits={t.readingTheRolloutIn(name, ns)}
      shape={[
        [3, 2],
        [2, 6],
        [6, 3],
      ]}
      missing={<Empty title={t.thereIsNoRolloutIn(name, ns)}>{t.itEndedOrItsApplication}</Empty>}
    >
      {(rollout, staleness) => <RolloutView rollout={rollout} staleness={staleness} />}
    </ObjectPage>
  );
}

function RolloutView({ rollout, staleness }: { readonly rollout: RolloutDetail; readonly staleness: Staleness | null }) {
  const { chosen, choose } = useChoices();
  const [present] = rollout.attempts;
  const attempt = rollout.attempts.find(({ key }) => key === chosen.get('attempt')) ?? present;
  const onChoose = (key: string) => choose({ attempt: key === present?.key ? null : key });
  // Nobody chooses on paper.
  const others = usePrinting() ? rollout.attempts.filter((one) => one !== attempt) : [];
  return (
    <div className="space-y-4">
      <RolloutHead rollout={rollout} />
      <WaitPanel rollout={rollout} staleness={staleness} />
      <AttemptsPanel rollout={rollout} attempt={attempt} onChoose={onChoose} />
      {others.map((one) => (
        <AttemptsPanel key={one.key} rollout={rollout} attempt={one} onChoose={onChoose} />
      ))}
      {rollout.revisions.length > 0 ? <ScaleLanes rollout={rollout} attempt={attempt} staleSince={staleness?.since ?? null} /> : null}
      {ABORTS.includes(rollout.activity) ? null : <GarbagePanel rollout={rollout} />}
      {/* However long the timeline is, the events beside it are as high. */}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1fr)_400px]">
        <HistoryPanel rollout={rollout} />
        <div className="relative min-w-0 xl:min-h-72">
          <EventsPanel at={{ ...ORCHESTRATOR, ns: rollout.ns, name: rollout.name }} kind={ORCHESTRATOR.named} fills />
        </div>
      </div>
    </div>
  );
}

const ORCHESTRATOR = { group: 'serving.knative.dev', named: 'RolloutOrchestrator' } as const;

/** What an aborted rollout would have deleted is not going to be. */
const ABORTS: readonly RolloutDetail['activity'][] = ['aborting', 'aborted'];

const breadcrumbsOf = (ns: string) => listBreadcrumbs(t.rollouts, '/rollouts', ns);

const LINK = 'rounded-sm text-ink-3 underline decoration-line-strong underline-offset-2 hover:text-ink';

function RolloutHead({ rollout }: { readonly rollout: RolloutDetail }) {
  const { ns, name, from, to, health, activity, strategy, ratio, engine, startedAt, application } = rollout;
  return (
    <ObjectHead
      breadcrumbs={breadcrumbsOf(ns)}
      name={name}
      health={health}
      marks={engine.mode === 'drive' ? null : <Badge tone="odd">{engine.mode === 'observe' ? t.observingOnly : t.stopped}</Badge>}
      note={
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span className="inline-flex items-center gap-1.5">
            {from ?? t.nothing} <ArrowRight size={13} aria-label={t.to} className="text-ink-3" />{' '}
            <strong className="font-semibold text-accent">{to}</strong>
          </span>
          <span className="text-ink-3">{t.perStage(strategy, ratio)}</span>
          {startedAt ? (
            <span className="text-ink-3">
              {activity === 'idle' || activity === 'aborted'
                ? rich(t.startedRich(<Ago at={startedAt} />))
                : rich(t.for(<Elapsed from={startedAt} />))}
            </span>
          ) : null}
          {application ? (
            <>
              <Link href={`/applications/${ns}/${application}`} className={LINK}>
                {t.application(application)}
              </Link>
              <Link href={`/applications/${ns}/${application}/logs?revision=${to}`} className={LINK}>
                {t.logsOf(to)}
              </Link>
            </>
          ) : null}
        </span>
      }
    />
  );
}

function GarbagePanel({ rollout: { garbage, application } }: { readonly rollout: RolloutDetail }) {
  return (
    <Panel title={t.atTheEnd}>
      {garbage === null ? (
        <p className="px-4 py-4 text-ink-3">{application === null ? t.noApplicationSoNothingIsDeleted : t.whileARolloutIsIn}</p>
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
          <div className="min-w-0">
            <p className="flex items-start gap-2">
              <Trash2 size={15} aria-hidden className={cx('mt-[2.5px] shrink-0', garbage.deleted > 0 ? 'text-bad' : 'text-ink-3')} />
              <span>{describeGarbage(garbage)}</span>
            </p>
            <p className="mt-1 text-ink-3 text-xs">{t.exactlyThisPlanIsCarried}</p>
          </div>
          {garbage.from && garbage.to ? (
            <Link
              href={`/trackers/${garbage.from}/compare/${garbage.to}`}
              className="shrink-0 rounded-sm font-medium text-accent hover:underline"
            >
              {t.seeObjectByObject}
            </Link>
          ) : null}
        </div>
      )}
    </Panel>
  );
}
