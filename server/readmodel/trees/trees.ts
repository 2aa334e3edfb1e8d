import type { ObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { Clock, Release } from '@/server/platform';
import type { ApplicationFacts, FactsDeps } from '../applications/application-facts';
import { gatherFacts } from '../applications/application-facts';
import type { Branch, TreeDeps } from './build';
import { toTree } from './build';
import type { TreeLines } from './lines';
import { toTreeLines } from './lines';

/** Trees that are kept while nobody says that anything in them changed. */
const MAX_KEPT = 16;
/** So long at most: what changes by time alone says nothing. */
const KEPT_MS = 1000;

/** One application as it is now: what its page, its list and its graph are made from. */
export interface DescribedTree {
  readonly facts: ApplicationFacts;
  readonly root: Branch;
  readonly lines: TreeLines;
}

interface TreesDeps extends FactsDeps, TreeDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Hears the key of each application whose rows may have changed. */
  readonly onTouch: (listener: (key: ObjectKey) => void) => Release;
  /** Calls back when it may be known otherwise how old copies are. */
  readonly onFreshness: (listener: () => void) => Release;
}

/** Trees of applications, each made once between two changes, whoever looks at however much of it. */
export interface Trees {
  /** Undefined when there is no application of that key. */
  see(key: ObjectKey): DescribedTree | undefined;
  release(): void;
}

/** Opens the trees of all applications; none is made before somebody looks. */
export function createTrees(deps: TreesDeps): Trees {
  const held = new Map<ObjectKey, { readonly seen: DescribedTree; readonly at: Instant }>();
  const ends = [deps.onTouch((key) => held.delete(key)), deps.onFreshness(() => held.clear())];
  return {
    see(key) {
      const now = deps.clock.now();
      const kept = held.get(key);
      if (kept !== undefined && now - kept.at < KEPT_MS) return kept.seen;
      held.delete(key);
      const seen = look(key, deps);
      if (seen === undefined) return undefined;
      held.set(key, { seen, at: now });
      const [oldest] = held.keys();
      if (held.size > MAX_KEPT && oldest !== undefined) held.delete(oldest);
      return seen;
    },
    release() {
      for (const end of ends) end();
    },
  };
}

function look(key: ObjectKey, deps: TreesDeps): DescribedTree | undefined {
  const facts = gatherFacts(key, deps);
  if (facts === undefined) return undefined;
  const root = toTree(facts, deps);
  return { facts, root, lines: toTreeLines(root) };
}
