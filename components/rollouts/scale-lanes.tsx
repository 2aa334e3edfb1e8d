'use client';

import { ChartLegend } from '@/components/charts/chart-legend';
import type { ScaleBandChartProps } from '@/components/charts/scale-band-chart';
import { roundCeiling, spanOf } from '@/components/charts/scale-lane';
import { ScaleTable } from '@/components/charts/scale-table';
import { useChoices } from '@/components/live/address/choices';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/data/skeleton';
import { Meter } from '@/components/ui/meter';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import { Panel } from '@/components/ui/panel';
import { ClockTime } from '@/components/ui/time/sentence';
import { useFormattedNow } from '@/components/ui/time/use-now';
import { LongName } from '@/components/ui/words/long-name';
import { rich } from '@/components/ui/words/rich';
import type { AttemptView, RevisionScale, RolloutDetail } from '@/lib/contract/rollout-rows';
import { parseInstant } from '@/lib/std/instant';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { formatPercent } from '@/lib/words/figures';
import { nameAttempt } from './attempts-panel';
import { MarkLane } from './mark-lane';
import { ScaledBy } from './scaled-by';

// Drawn in the browser only: the chart library writes style attributes, which the policy refuses in HTML from the server.
const scaleBandChart = lazyOnDemand(async () => (await import('@/components/charts/scale-band-chart')).ScaleBandChart);

const REDRAW_MS = 5000;
const ROLE_WORD: Readonly<Record<RevisionScale['role'], string>> = { old: t.old, new: t.new, stay: t.stays };

interface ScaleLanesProps {
  readonly rollout: RolloutDetail;
  readonly attempt: AttemptView | undefined;
  /** Since when the figures may be out of date; null while they are fresh. */
  readonly staleSince?: string | null;
}

/** Revision under revision on one axis of time, that of the attempt that is looked at: what the stage allows, what is wanted, what is there; decisions and events below. */
export function ScaleLanes({ rollout, attempt, staleSince = null }: ScaleLanesProps) {
  const { chosen, choose } = useChoices();
  const asTable = chosen.get('replicas') === 'table';
  const now = useFormattedNow((at) => Math.ceil(at / REDRAW_MS) * REDRAW_MS);
  const { revisions, decisions, attempts } = rollout;
  const { startedAt, finishedAt } = windowOf(attempt, rollout.startedAt);
  const span = spanOf({ lanes: revisions.map((revision) => revision.samples), startedAt, finishedAt, now });
  const ceiling = ceilingOf(revisions);
  const knownUntil = parseInstant(staleSince);
  const isCut = knownUntil !== undefined && knownUntil < span[1];
  const marks = decisions.flatMap((decision) => {
    const at = parseInstant(decision.createdAt);
    return at === undefined || at < span[0] || at > span[1] ? [] : [{ key: decision.key, at: Number(at), label: decision.verb }];
  });
  return (
    <Panel
      title={t.replicasAndTraffic}
      note={t.trafficByPodRatioThe(attempt === undefined || attempt === attempts[0] ? '' : t.figuresOfNowOverThe(nameAttempt(attempt)))}
      actions={
        <Button look="ghost" onClick={() => choose({ replicas: asTable ? null : 'table' })}>
          {asTable ? t.showAsChart : t.showAsTable}
        </Button>
      }
    >
      {asTable ? null : <ChartLegend isCut={isCut} />}
      {asTable && isCut ? (
        <p className="border-b px-4 py-1.5 text-warn text-xs">{rich(t.notKnownSince(<ClockTime at={staleSince ?? ''} />))}</p>
      ) : null}
      <div className="divide-y">
        {revisions.map((revision, at) => (
          <div key={revision.revision} className="grid break-inside-avoid lg:grid-cols-[244px_minmax(0,1fr)]">
            <LaneFigures scale={revision} />
            <div className="flex min-w-0 flex-col justify-center px-2 pb-1 lg:border-l">
              {asTable ? (
                <ScaleTable label={t.replicasOf(revision.revision)} samples={revision.samples} />
              ) : (
                <LaneChart
                  label={describeLane(revision)}
                  samples={revision.samples}
                  ownMin={revision.ownMin}
                  ownMax={revision.ownMax}
                  span={span}
                  ceiling={ceiling}
                  marks={marks}
                  tone={revision.role === 'new' ? 'new' : 'old'}
                  withTimes={at === revisions.length - 1}
                  knownUntil={knownUntil}
                />
              )}
            </div>
          </div>
        ))}
        {asTable ? null : <MarkLane decisions={decisions} timeline={rollout.timeline} span={span} />}
      </div>
    </Panel>
  );
}

/** The time of the attempt that is shown: from its start to its end, or to now while it is under way. */
function windowOf(attempt: AttemptView | undefined, startedAt: string | null) {
  return { startedAt: attempt?.startedAt ?? startedAt, finishedAt: attempt?.endedAt ?? null };
}

/** One scale for all lanes, so that heights can be compared. */
function ceilingOf(revisions: readonly RevisionScale[]): number {
  const peaks = revisions.flatMap((revision) => [
    revision.ownMax,
    revision.stageMax,
    revision.actual,
    ...revision.samples.flatMap((sample) => [sample.stageMax, sample.desired, sample.actual]),
  ]);
  const peak = Math.max(4, ...peaks.map((value) => value ?? 0));
  return roundCeiling(peak);
}

function describeLane(scale: RevisionScale): string {
  return t.replicasOfOverTimeThere({
    revision: scale.revision,
    actual: scale.actual ?? t.unknown,
    desired: scale.desired ?? t.unknown,
    bounds: bounds(scale.stageMin, scale.stageMax),
    part: scale.scaler ? t.scaledByHPAWithin(scale.scaler.name, bounds(scale.scaler.min, scale.scaler.max)) : '',
  });
}

function bounds(min: number | null, max: number | null): string {
  if (min === null && max === null) return t.notSet;
  return `${min ?? 0} – ${max ?? '∞'}`;
}

function LaneFigures({ scale }: { readonly scale: RevisionScale }) {
  const isNew = scale.role === 'new';
  return (
    <div className="min-w-0 px-4 py-3">
      <div className="flex items-center gap-2">
        <span title={scale.revision} className="min-w-0 truncate font-semibold">
          {scale.revision}
        </span>
        <Badge tone={scale.isRejected ? 'warn' : isNew ? 'busy' : 'idle'} className="shrink-0">
          {scale.isRejected ? t.rejected : ROLE_WORD[scale.role]}
        </Badge>
      </div>
      {scale.image ? (
        <p className="text-2xs text-ink-3">
          <LongName name={scale.image} />
        </p>
      ) : null}
      <p className="mt-2 flex items-baseline gap-1.5">
        <span className={isNew ? 'font-semibold text-accent text-xl' : 'font-semibold text-xl'}>{scale.actual ?? '–'}</span>
        <span className="text-ink-3 text-xs">
          {t.ofDesired(scale.desired ?? '–', scale.terminating ? t.terminating(scale.terminating) : '')}
        </span>
      </p>
      <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-3 text-xs">
        <dt className="text-ink-3">{t.stage}</dt>
        <dd>
          {bounds(scale.stageMin, scale.stageMax)}{' '}
          {scale.inForce === 'own' ? null : <InForce word={scale.inForce === 'parked' ? t.parkedAtZero : t.inForce} />}
        </dd>
        <dt className="text-ink-3">{t.own}</dt>
        <dd>
          {bounds(scale.ownMin, scale.ownMax)} {scale.inForce === 'own' ? <InForce word={t.inForce} /> : null}
        </dd>
        {scale.scaler ? <ScaledBy scaler={scale.scaler} /> : null}
        <dt className="text-ink-3">{t.readyPods}</dt>
        <dd>
          {scale.percentByPods === null ? t.none : t.ofAll(scale.percentByPods)}
          {scale.percentPlanned === null ? '' : <span className="text-ink-3">{t.planned(scale.percentPlanned)}</span>}
        </dd>
      </dl>
      <div className={isNew ? 'lane-new mt-1.5' : 'lane-old mt-1.5'}>
        <Meter
          percent={scale.percentByPods ?? 0}
          label={t.shareOfInTheReady(scale.revision, scale.percentByPods === null ? t.none : formatPercent(scale.percentByPods))}
        />
      </div>
    </div>
  );
}

function InForce({ word }: { readonly word: string }) {
  return <span className="ml-1 rounded-sm bg-pressed px-1 text-2xs text-ink-2">{word}</span>;
}

function LaneChart(props: ScaleBandChartProps) {
  return (
    <LazyPart part={scaleBandChart} pending={<Skeleton height="h-20" className="my-6 w-full" />}>
      {(ScaleBandChart) => <ScaleBandChart {...props} />}
    </LazyPart>
  );
}
