'use client';

import type { TooltipPayload } from 'recharts';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { cx } from '@/components/ui/cx';
import { useZone } from '@/components/ui/time/zone';
import type { ScaleSample } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/console/charts';
import { formatMinute, formatTime } from '@/lib/words/times';
import { LaneValues } from './lane-values';
import type { LanePoint } from './scale-lane';
import { timeTicks, toLanePoints } from './scale-lane';
import { useLaneKeys } from './use-lane-keys';

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
  /** Set while data is stale: until when it is known. */
  readonly knownUntil?: number | undefined;
  readonly withTimes: boolean;
}

/** Width of the scale at the left; whatever shares the axis starts after it. */
export const AXIS_WIDTH = 28;
/** Room right of the last moment, so that marks below the chart stand under it. */
export const AXIS_RIGHT = 12;

/**
 * Replicas of one revision over time: the band its stage allows, its own bounds as dotted lines, what was wanted and what was there as steps. What is not
 * known any more is dashed. The arrow keys walk from change to change and tell its values.
 */
export function ScaleBandChart({ label, samples, ownMin, ownMax, span, ceiling, marks, tone, withTimes, knownUntil }: ScaleBandChartProps) {
  const points = toLanePoints(samples, span, knownUntil);
  const zone = useZone();
  const { point, ...keys } = useLaneKeys(points);
  const say = span[1] - span[0] < 5 * 60_000 ? formatTime : formatMinute;
  const isCut = knownUntil !== undefined && knownUntil < span[1];
  const look = cx('focus-inset relative rounded-md', tone === 'new' ? 'lane-new' : 'lane-old');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys tell its values
    <figure aria-label={label} tabIndex={0} {...keys} className={look}>
      <ResponsiveContainer width="100%" height={withTimes ? 154 : 140} initialDimension={{ width: 640, height: 140 }}>
        <ComposedChart
          data={[...points]}
          margin={{ top: 10, right: AXIS_RIGHT, bottom: withTimes ? 0 : 8, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--color-line)" />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={[span[0], span[1]]}
            ticks={[...timeTicks(span, 6)]}
            tickFormatter={(at: number) => say(at, zone)}
            hide={!withTimes}
            {...TICKS}
            axisLine={{ stroke: 'var(--color-line)' }}
            height={22}
          />
          <YAxis width={AXIS_WIDTH} domain={[0, ceiling]} ticks={[0, ceiling / 2, ceiling]} interval={0} {...TICKS} axisLine={false} />
          {isCut ? (
            <ReferenceArea x1={Math.max(span[0], knownUntil)} x2={span[1]} fill="var(--color-pressed)" fillOpacity={0.6} stroke="none" />
          ) : null}
          <Area type="stepAfter" dataKey="band" name={t.stageBounds} {...BAND} />
          <Line type="stepAfter" dataKey="only" name={t.stageBounds} {...ONLY} />
          {ownMin === null ? null : <ReferenceLine y={ownMin} {...OWN} />}
          {ownMax === null ? null : <ReferenceLine y={ownMax} {...OWN} />}
          {marks.map((mark) => (
            <ReferenceLine key={mark.key} x={mark.at} stroke="var(--color-line-strong)" strokeWidth={1} />
          ))}
          <Line type="stepAfter" dataKey="desired" name={t.desired} {...DESIRED} />
          <Line type="stepAfter" dataKey="actual" name={t.actual} {...ACTUAL} activeDot={{ r: 3 }} />
          {isCut ? (
            <Line type="stepAfter" dataKey="lastDesired" name={t.lastKnownDesired} {...DESIRED} strokeDasharray={LAST_KNOWN} />
          ) : null}
          {isCut ? (
            <Line
              type="stepAfter"
              dataKey="lastActual"
              name={t.lastKnownActual}
              {...ACTUAL}
              strokeDasharray={LAST_KNOWN}
              activeDot={false}
            />
          ) : null}
          {point === undefined ? null : <ReferenceLine x={point.at} stroke="var(--color-ink-2)" strokeWidth={1.5} />}
          <Tooltip content={renderHovered} cursor={{ stroke: 'var(--color-ink-3)' }} isAnimationActive={false} />
        </ComposedChart>
      </ResponsiveContainer>
      <div aria-live="polite" className="pointer-events-none absolute top-1 right-3 empty:hidden">
        {point === undefined ? null : <LaneValues point={point} />}
      </div>
    </figure>
  );
}

function renderHovered({ active, payload }: { readonly active?: boolean; readonly payload: TooltipPayload }) {
  const hovered = active ? (payload[0]?.payload as LanePoint | undefined) : undefined;
  return hovered === undefined ? null : <LaneValues point={hovered} />;
}

const TICKS = { tick: { fill: 'var(--color-ink-3)', fontSize: 11 }, tickLine: false } as const;
const STILL = { dot: false, isAnimationActive: false, connectNulls: false } as const;
/** The strokes of what is not known any more. Nothing else is dashed. */
const LAST_KNOWN = '5 4';
const BAND = {
  fill: 'currentColor',
  fillOpacity: 0.14,
  stroke: 'currentColor',
  strokeOpacity: 0.35,
  strokeWidth: 1,
  isAnimationActive: false,
  connectNulls: false,
} as const;
/** As thick as a band can be seen. */
const ONLY = { ...STILL, stroke: 'currentColor', strokeOpacity: 0.28, strokeWidth: 7, activeDot: false } as const;
const OWN = { stroke: 'var(--color-ink-3)', strokeWidth: 1, strokeDasharray: '1 3' } as const;
const DESIRED = { ...STILL, stroke: 'currentColor', strokeOpacity: 0.65, strokeWidth: 1, activeDot: false } as const;
const ACTUAL = { ...STILL, stroke: 'currentColor', strokeWidth: 2 } as const;
