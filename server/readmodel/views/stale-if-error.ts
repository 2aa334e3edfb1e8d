import type { Keyed } from '@/lib/contract/live';
import type { Clock, FaultIsolation } from '@/server/platform';
import type { StaleData } from '../freshness';
import { toFreshness } from '../freshness';
import type { View, ViewSource } from './live-window';

/** A view that cannot be made stays as it was, says that it is old and why, and is made again when anything changes. */
export function staleIfError(
  topic: string,
  { compute, freshness }: Pick<ViewSource, 'compute' | 'freshness'>,
  { contain, clock }: { readonly contain: FaultIsolation; readonly clock: Clock },
): Pick<ViewSource, 'compute' | 'freshness'> {
  let held: View | undefined;
  let trouble: StaleData | undefined;
  const compose = () => {
    held = compute();
    trouble = undefined;
  };
  return {
    compute() {
      contain.attempt({ what: 'page', kind: 'topic', key: topic, version: undefined }, compose, (why) => {
        trouble = { since: trouble?.since ?? clock.now(), sentence: `${topic} ${why}` };
      });
      return held;
    },
    freshness: () => (trouble === undefined ? freshness() : toFreshness(trouble, clock)),
  };
}

/** A view of one row; undefined where there is none. */
export function single(row: Keyed | undefined): View | undefined {
  return row === undefined ? undefined : { order: [row.key], rows: new Map([[row.key, row]]), total: 1 };
}
