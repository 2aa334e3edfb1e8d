'use client';

import { Area, CartesianGrid, ComposedChart, Line, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useZone } from '@/components/ui/time/zone';
import type { ScaleSample } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/console/charts';
import { sayMinute, sayMoment, sayTime } from '@/lib/words/times';
import type { LanePoint } from './scale-lane';
import { timeTicks, toLanePoints } from './scale-lane';

export interface ChartMark {
  readonly key: string;
  readonly at: number;
  readonly label: string;
}

export interface ScaleBandChartProps {
  readonly label: string;
  readonly samples: readonly ScaleSample[];
  readonly ownMin: number | null;
  readonly ownMax: number | null;
  /** Shared by all lanes, so that one moment is one vertical line. */
  readonly span: readonly [number, number];
  readonly ceiling: number;
  readonly marks: readonly ChartMark[];
  readonly tone: 'new' | 'old';
  readonly withTimes: boolean;
}

/** Width of the scale at the left; whatever shares the axis starts after it. */
export const AXIS_WIDTH = 28;
/** Room right of the last moment, so that marks below the chart stand under it. */
export const AXIS_RIGHT = 12;

/** Replicas of one revision over time: the band its stage allows, its own bounds as thin lines, what was wanted and what was there as steps. */
export function ScaleBandChart({ label, samples, ownMin, ownMax, span, ceiling, marks, tone, withTimes }: ScaleBandChartProps) {
  const points = toLanePoints(samples, span);
  const zone = useZone();
  const say = span[1] - span[0] < 5 * 60_000 ? sayTime : sayMinute;
  return (
    <figure aria-label={label} className={tone === 'new' ? 'lane-new' : 'lane-old'}>
      <ResponsiveContainer width="100%" height={withTimes ? 154 : 140} initialDimension={{ width: 640, height: 140 }}>
        <ComposedChart data={[...points]} margin={{ top: 10, right: AXIS_RIGHT, bottom: withTimes ? 0 : 8, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={[span[0], span[1]]}
            ticks={[...timeTicks(span, 6)]}
            tickFormatter={(at: number) => say(at, zone)}
            hide={!withTimes}
            tick={{ fill: 'var(--color-ink-3)', fontSize: 11 }}
            tickLine={false}
            axisLine={{ stroke: 'var(--color-line)' }}
            height={22}
          />
          <YAxis
            width={AXIS_WIDTH}
            domain={[0, ceiling]}
            ticks={[0, ceiling / 2, ceiling]}
            interval={0}
            tick={{ fill: 'var(--color-ink-3)', fontSize: 11 }}
            tickLine={false}
            axisLine={false}
          />
          <Area
            type="stepAfter"
            dataKey="band"
            name={t.stageBounds}
            fill="currentColor"
            fillOpacity={0.14}
            stroke="currentColor"
            strokeOpacity={0.35}
            strokeWidth={1}
            isAnimationActive={false}
            connectNulls={false}
          />
          {ownMin === null ? null : <ReferenceLine y={ownMin} stroke="var(--color-ink-3)" strokeWidth={1} strokeDasharray="2 3" />}
          {ownMax === null ? null : <ReferenceLine y={ownMax} stroke="var(--color-ink-3)" strokeWidth={1} strokeDasharray="2 3" />}
          {marks.map((mark) => (
            <ReferenceLine key={mark.key} x={mark.at} stroke="var(--color-line-strong)" strokeWidth={1} />
          ))}
          <Line
            type="stepAfter"
            dataKey="desired"
            name={t.desired}
            stroke="currentColor"
            strokeOpacity={0.7}
            strokeWidth={1.5}
            strokeDasharray="4 3"
            dot={false}
            activeDot={false}
            isAnimationActive={false}
          />
          <Line
            type="stepAfter"
            dataKey="actual"
            name={t.actual}
            stroke="currentColor"
            strokeWidth={2}
            dot={false}
            activeDot={{ r: 3 }}
            isAnimationActive={false}
          />
          <Tooltip
            content={({ active, payload }) => <PointBox point={active ? (payload[0]?.payload as LanePoint | undefined) : undefined} />}
            cursor={{ stroke: 'var(--color-ink-3)' }}
            isAnimationActive={false}
          />
        </ComposedChart>
      </ResponsiveContainer>
    </figure>
  );
}

function PointBox({ point }: { readonly point: LanePoint | undefined }) {
  const zone = useZone();
  if (point === undefined) return null;
  return (
    <div className="rounded-md bg-raised px-2.5 py-1.5 text-ink text-xs shadow-float">
      <p className="text-ink-3">{sayMoment(point.at, zone)}</p>
      <dl className="mt-0.5 grid grid-cols-[auto_auto] gap-x-3">
        <dt className="text-ink-3">{t.actual}</dt>
        <dd className="text-right font-medium">{point.actual ?? '–'}</dd>
        <dt className="text-ink-3">{t.desired}</dt>
        <dd className="text-right">{point.desired ?? '–'}</dd>
        <dt className="text-ink-3">{t.stageBounds}</dt>
        <dd className="text-right">{point.band ? `${point.band[0]} – ${point.band[1]}` : '–'}</dd>
      </dl>
    </div>
  );
}
