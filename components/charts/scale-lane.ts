import type { ScaleSample } from '@/lib/contract/rollout-rows';
import { parseInstant } from '@/lib/std/instant';

/** A moment of a lane as the chart draws it. */
export interface LanePoint {
  readonly at: number;
  /** From stage minimum to stage maximum; null while no stage bound is set. */
  readonly band: readonly [number, number] | null;
  readonly desired: number | null;
  readonly actual: number | null;
  /** Where the stage allows one number only: a band of no height would not be seen. */
  readonly only: number | null;
  /** What was there and wanted when it was last known; null while it is known. */
  readonly lastActual: number | null;
  readonly lastDesired: number | null;
}

type Known = Pick<LanePoint, 'at' | 'band' | 'desired' | 'actual'>;

/**
 * Samples within the span in order of time, with a point at both its ends: a step that ends at its own sample would be drawn as a spike. After
 * `knownUntil` nothing is known: what was there last goes on beside it.
 */
export function toLanePoints(
  samples: readonly ScaleSample[],
  span: readonly [number, number],
  knownUntil = Number.POSITIVE_INFINITY,
): readonly LanePoint[] {
  const known = knownPoints(samples, [span[0], Math.max(span[0], Math.min(span[1], knownUntil))]);
  const points = known.flatMap((point, at) => [...endOfOnly(known[at - 1], point), toLanePoint(point)]);
  const last = known.at(-1);
  if (last === undefined || knownUntil >= span[1]) return points;
  const unknown = { band: null, desired: null, actual: null, only: null, lastActual: last.actual, lastDesired: last.desired };
  // The last known moment stands twice, so that the two lines meet there.
  return [...points, { ...unknown, at: last.at }, { ...unknown, at: span[1] }];
}

function toLanePoint(point: Known): LanePoint {
  return { ...point, only: onlyOf(point), lastActual: null, lastDesired: null };
}

/** A step goes on to the next point only where that has a value too: where a single number ends, it is drawn to there. */
function endOfOnly(before: Known | undefined, point: Known): readonly LanePoint[] {
  return before === undefined || onlyOf(before) === null || onlyOf(point) !== null ? [] : [toLanePoint({ ...before, at: point.at })];
}

function onlyOf({ band }: Known): number | null {
  return band !== null && band[0] === band[1] ? band[0] : null;
}

function knownPoints(samples: readonly ScaleSample[], [from, to]: readonly [number, number]): readonly Known[] {
  const points = samples.flatMap((sample) => {
    const at = parseInstant(sample.at);
    return at === undefined ? [] : [{ at: Number(at), band: bandOf(sample), desired: sample.desired, actual: sample.actual }];
  });
  points.sort((a, b) => a.at - b.at);
  const before = points.findLast((point) => point.at < from);
  const within = points.filter((point) => point.at >= from && point.at <= to);
  const shown = before === undefined || within[0]?.at === from ? within : [{ ...before, at: from }, ...within];
  const last = shown.at(-1);
  return last === undefined || last.at >= to ? shown : [...shown, { ...last, at: to }];
}

function bandOf({ stageMin, stageMax }: ScaleSample): readonly [number, number] | null {
  if (stageMin === null && stageMax === null) return null;
  return [stageMin ?? 0, stageMax ?? stageMin ?? 0];
}

/** Where a key leads to among so many points; undefined when it leads nowhere. */
export function nextPoint(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowRight':
      return Math.min(last, at + 1);
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** What bounds the time that is shown. */
export interface SpanOf {
  readonly lanes: readonly (readonly ScaleSample[])[];
  readonly startedAt: string | null;
  /** Set once nothing moves any more. */
  readonly finishedAt: string | null;
  readonly now: number;
}

const LEAST_MS = 60_000;
const LEAD = 0.08;

/** The time that all lanes share: from shortly before the rollout began to now, or to shortly after it ended; a minute at least. */
export function spanOf({ lanes, startedAt, finishedAt, now }: SpanOf): readonly [number, number] {
  const first = Math.min(now, ...lanes.flatMap((samples) => samples.flatMap((sample) => parseInstant(sample.at) ?? [])));
  const began = parseInstant(startedAt);
  const ended = parseInstant(finishedAt);
  const length = Math.max(LEAST_MS, (ended ?? now) - (began ?? first));
  const to = ended === undefined ? now : Math.min(now, ended + length * LEAD);
  return [Math.min((began ?? first) - (began === undefined ? 0 : length * LEAD), to - LEAST_MS), to];
}

/** A round top of the scale, a little above the highest value, that divides into four whole steps. */
export function roundCeiling(peak: number): number {
  const step = Math.ceil((peak * 1.05) / 4);
  return Math.max(1, step) * 4;
}

/** Round moments on the axis: about `count` of them, at steps people count in. */
export function timeTicks([from, to]: readonly [number, number], count: number): readonly number[] {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map((seconds) => seconds * 1000);
  const step = steps.find((size) => (to - from) / size <= count) ?? Math.ceil((to - from) / count / 86_400_000) * 86_400_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}
