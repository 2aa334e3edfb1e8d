import type { Clock, Release } from '@/server/platform';

/** Something that grows while a process runs, and how far it may. */
interface Watch {
  readonly measure: () => Promise<number>;
  readonly limit: number;
  readonly clock: Clock;
  readonly onOver: () => void;
}

const LOOK_MS = 500;

/** Measures twice a second until it is released or what is measured is over the limit. */
export function enforceLimit({ measure, limit, clock, onOver }: Watch): Release {
  let isReleased = false;
  let release: Release = () => undefined;
  const look = async () => {
    const measured = await measure();
    if (isReleased) return;
    if (measured > limit) onOver();
    else release = clock.schedule(LOOK_MS, () => void look());
  };
  release = clock.schedule(LOOK_MS, () => void look());
  return () => {
    isReleased = true;
    release();
  };
}
