import type { ObjectKey } from '@/lib/kube/object';
import type { Clock, Release } from '@/server/platform';
import type { ReadScales } from './describe';
import type { ScaleHistory } from './scale-history';

/** Milliseconds between two looks at one rollout, however much of it moves: pods by the hundred become ready within them. */
const SAMPLE_INTERVAL_MS = 500;
/** Milliseconds of looking in one piece; between pieces everybody else has their turn. */
const PIECE_MS = 8;

interface SampleDeps {
  /** Hears the key of each rollout of which anything may have changed. */
  readonly onTouch: (listener: (rollout: ObjectKey) => void) => Release;
  readonly seeScales: ReadScales;
  readonly history: ScaleHistory;
  readonly clock: Clock;
}

/**
 * Keeps what runs of each revision as rollouts move, whether somebody looks or not, until it is released. It asks for the live figures: those that
 * StagePodAutoscalers mirror in their status come seconds later.
 */
export function sampleScales({ onTouch, seeScales, history, clock }: SampleDeps): Release {
  /** Rollouts that were touched since they were looked at. */
  const touched = new Set<ObjectKey>();
  let cancel: Release | undefined;
  const look = (rollout: ObjectKey) => {
    for (const [revision, figures] of seeScales(rollout)) history.observe(revision, figures);
  };
  const lookNext = () => {
    const end = clock.now() + PIECE_MS;
    for (const rollout of touched) {
      touched.delete(rollout);
      look(rollout);
      if (clock.now() >= end) break;
    }
    cancel = touched.size > 0 ? clock.schedule(0, lookNext) : undefined;
  };
  const untouch = onTouch((rollout) => {
    touched.add(rollout);
    cancel ??= clock.schedule(SAMPLE_INTERVAL_MS, lookNext);
  });
  return () => {
    untouch();
    cancel?.();
  };
}
