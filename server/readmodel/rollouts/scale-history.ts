import type { ScaleSample } from '@/lib/contract/rollout-rows';
import type { ObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';

const KEPT_PER_REVISION = 400;
const RESTORED_PER_REVISION = 300;
const SAVE_EVERY_MS = 2000;
const MAX_UNSAVED = 20_000;
/** A revision that is gone, or of an earlier process and not seen since, is on no page any more by then. */
const GONE_AFTER_MS = 3_600_000;

/** A sample of one revision's bounds and figures, as it is kept. Key is `namespace/revision`. */
export interface KeptSample extends ScaleSample {
  readonly key: ObjectKey;
}

/** Where samples outlive the process. */
export interface SampleStore {
  /** The newest samples of each revision, oldest first. */
  readRecent(perRevision: number): Promise<readonly KeptSample[]>;
  append(samples: readonly KeptSample[]): Promise<void>;
}

/**
 * Bounds and figures of revisions over time: every change once, the newest few hundred in memory, all of them handed on to be kept. In memory are those of
 * revisions that are there, or went within the last hour: each change makes a new one, and nothing would ever end them.
 */
export class ScaleHistory {
  readonly #clock: Clock;
  readonly #samples = new Map<ObjectKey, KeptSample[]>();
  /** When revisions were last there, those that went first at the beginning. */
  readonly #gone = new Map<ObjectKey, Instant>();
  #unsaved: KeptSample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes samples of an earlier process in; those that are here already win. */
  restore(samples: readonly KeptSample[]): void {
    const byKey = groupByKey(samples);
    for (const [key, earlier] of byKey) {
      const here = this.#samples.get(key) ?? [];
      const first = here[0]?.at;
      this.#samples.set(key, [...earlier.filter((sample) => first === undefined || sample.at < first), ...here].slice(-KEPT_PER_REVISION));
      if (first === undefined) this.gone(key);
    }
  }

  /** Looks at what runs of a revision now, and keeps a sample when it differs from the one before. */
  observe(key: ObjectKey, { stageMin, stageMax, desired, actual }: Omit<ScaleSample, 'at'>): void {
    this.#gone.delete(key);
    const sample: KeptSample = { key, at: toIso(this.#clock.now()), stageMin, stageMax, desired, actual };
    const held = this.#samples.get(key) ?? [];
    const last = held.at(-1);
    if (last !== undefined && isSameFigure(last, sample)) return;
    held.push(sample);
    if (held.length > KEPT_PER_REVISION) held.shift();
    this.#samples.set(key, held);
    this.#unsaved.push(sample);
    if (this.#unsaved.length > MAX_UNSAVED) this.#unsaved.splice(0, MAX_UNSAVED / 2); // of a store that takes nothing for long
  }

  /** A StagePodAutoscaler is there no more; forgets those that went long before it. */
  gone(key: ObjectKey): void {
    const now = this.#clock.now();
    this.#gone.delete(key); // and to the end
    this.#gone.set(key, now);
    for (const [one, since] of this.#gone) {
      if (since + GONE_AFTER_MS > now) break;
      this.#gone.delete(one);
      this.#samples.delete(one);
    }
  }

  /** Samples of a revision, oldest first. */
  of(key: ObjectKey): readonly KeptSample[] {
    return this.#samples.get(key) ?? [];
  }

  /** Hands over what is not kept yet. */
  takeUnsaved(): readonly KeptSample[] {
    const taken = this.#unsaved;
    this.#unsaved = [];
    return taken;
  }
}

function isSameFigure(a: ScaleSample, b: ScaleSample): boolean {
  return a.stageMin === b.stageMin && a.stageMax === b.stageMax && a.desired === b.desired && a.actual === b.actual;
}

function groupByKey(samples: readonly KeptSample[]): Map<ObjectKey, KeptSample[]> {
  const groups = new Map<ObjectKey, KeptSample[]>();
  for (const sample of samples) {
    const group = groups.get(sample.key);
    if (group === undefined) groups.set(sample.key, [sample]);
    else group.push(sample);
  }
  return groups;
}

/** Takes the history of an earlier process over, and saves what is new every two seconds until the signal aborts. */
export async function keepHistory(opening: Promise<SampleStore>, history: ScaleHistory, clock: Clock, signal: AbortSignal): Promise<void> {
  const store = await opening;
  history.restore(await store.readRecent(RESTORED_PER_REVISION));
  let unsaved: readonly KeptSample[] = [];
  while (!signal.aborted) {
    await clock.sleep(SAVE_EVERY_MS, signal);
    unsaved = [...unsaved, ...history.takeUnsaved()];
    if (unsaved.length === 0) continue;
    await store.append(unsaved);
    unsaved = [];
  }
}
