import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { EngineRow, InboxRow, StatusRow } from '@/lib/contract/system-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { Store } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { ClusterView } from '../cluster-view';
import type { Reachability, StaleData } from '../freshness';
import type { Visibility } from '../views/window';
import { toEngineRow } from './engine-row';
import type { ProcessFacts } from './status-row';
import { toStatusRow } from './status-row';

const TICK_MS = 1000;

/** The rows about the process itself. */
export interface SystemRows {
  status(inbox: readonly InboxRow[], visibility: Visibility): StatusRow;
  engine(): EngineRow;
  /** Calls back each second while somebody listens: queues and ages change without any object changing. */
  onTick(listener: () => void): Release;
}

/** Rows about the process, from its own facts and the copies of the cluster. */
export function createSystemRows(deps: {
  readonly facts: ProcessFacts;
  readonly view: ClusterView;
  readonly clock: Clock;
  /** Every store of the process, also those that only an engine reads. */
  readonly stores: () => readonly Store[];
  readonly trouble: () => StaleData | undefined;
  readonly reachability: () => Reachability;
  /** How many applications there are in these namespaces. */
  readonly applications: (visibility: Visibility) => number;
}): SystemRows {
  const { facts, view, clock } = deps;
  const listeners = new Set<() => void>();
  let cancel: Release | undefined;
  const tick = () => {
    cancel = clock.schedule(TICK_MS, () => {
      for (const listener of listeners) listener();
      if (listeners.size > 0) tick();
      else cancel = undefined;
    });
  };
  return {
    status: (inbox, visibility) =>
      toStatusRow(facts, {
        trouble: deps.trouble(),
        reachable: deps.reachability().reachable,
        inbox,
        applications: visibility.length === 0 ? null : deps.applications(visibility),
        namespaces: namespacesOf(view, visibility),
      }),
    engine: () => toEngineRow(facts, deps.stores(), view),
    onTick(listener) {
      listeners.add(listener);
      if (cancel === undefined) tick();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
}

/** Namespaces that hold applications or declare releases, as far as the reader may see them. */
function namespacesOf(view: ClusterView, visibility: Visibility): readonly string[] {
  const found = new Set(
    [KINDS.application, ...Object.values(RELEASE_TYPES)]
      .flatMap((kind) => view.open(kind).list())
      .flatMap(({ metadata }) => metadata.namespace ?? []),
  );
  return [...found].filter((ns) => visibility === 'all' || visibility.includes(ns));
}
