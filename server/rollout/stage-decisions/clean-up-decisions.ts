import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import type { ControllerSpec, EngineDeps, Outcome } from '@/server/framework';
import { clusterOfPass, RECORD_RETRY_MS, requeueAfter, settled } from '@/server/framework';
import type { Cluster, Store, StoreChange } from '@/server/kube';
import { isConflict, isForbidden, isNotFound } from '@/server/kube';
import { toDecisionEntry } from './decision-entry';
import type { Subject } from './plan-decision-cleanup';
import { planDecisionCleanup } from './plan-decision-cleanup';

const BY_SUBJECT = 'decisions/subject';
/** So many go in one pass, so that others have their turn. */
const BATCH = 50;
const GATHER_MS = 10_000;
/** When it is looked again where the role of the server, or a copy that cannot be read, stands in the way. */
const FORBIDDEN_AGAIN_MS = 600_000;

interface DecidedStores {
  readonly decisions: Store;
  readonly rollouts: Store;
  readonly applications: Store;
}

/**
 * Deletes answered decisions that nothing rests on any more, once they are on record: the store itself is asked for each, and as long as it does not
 * answer they stay. Keys are those of what decisions are about; a rollout and its application have the same.
 */
export function createDecisionCleanup(deps: EngineDeps, stores: DecidedStores): ControllerSpec {
  stores.decisions.addIndex(BY_SUBJECT, subjectsOf);
  return {
    name: 'retired-decisions',
    sources: [
      { store: stores.decisions, keysOf: keysOfDecision, gatherMs: GATHER_MS },
      { store: stores.rollouts, keysOf: keysOfReplaced },
      { store: stores.applications, keysOf: keysOfReplaced },
    ],
    async reconcile(key, pass) {
      if (!Object.values(stores).every(isWatched)) return requeueAfter(FORBIDDEN_AGAIN_MS);
      const { due, nextMs } = planDecisionCleanup(
        stores.decisions.byIndex(BY_SUBJECT, key),
        (subject) => isThere(stores, key, subject),
        deps.clock.now(),
      );
      if (due.length === 0) return nextMs === undefined ? settled() : requeueAfter(nextMs);
      const outcome = await retire({ deps, cluster: clusterOfPass(deps, pass), signal: pass.signal }, due.slice(0, BATCH));
      return outcome ?? requeueAfter(due.length > BATCH ? 0 : (nextMs ?? GATHER_MS));
    },
  };
}

interface Context {
  readonly deps: EngineDeps;
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
}

/** Answers when to look again where some had to stay. */
async function retire({ deps, cluster, signal }: Context, due: readonly KubeObject[]): Promise<Outcome | undefined> {
  const onRecord = (await deps.onRecord?.(due.map(({ metadata }) => metadata.uid ?? ''))) ?? new Set();
  let isLeft = false;
  for (const decision of due) {
    const { uid = '', resourceVersion = '' } = decision.metadata;
    if (!onRecord.has(uid)) {
      // Whoever answered it died before that, or has no engine for it: the next look finds it on record.
      await deps.record(toDecisionEntry(decision, deps.clock.now()));
      isLeft = true;
      continue;
    }
    try {
      await cluster.delete(toAddress(decision), { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      if (isForbidden(error)) {
        deps.log.warn(
          { error: messageOf(error) },
          'answered decisions stay, since the server may not delete them: kubectl apply -f deploy/rbac/server.yaml',
        );
        return requeueAfter(FORBIDDEN_AGAIN_MS);
      }
      if (!isConflict(error) && !isNotFound(error)) throw error; // it changed, or is gone: the next look sees it
    }
  }
  return isLeft ? requeueAfter(RECORD_RETRY_MS) : undefined;
}

function isThere(stores: DecidedStores, key: ObjectKey, { kind, uid }: Subject): boolean {
  const store = kind === 'rollout' ? stores.rollouts : stores.applications;
  return store.get(key)?.metadata.uid === uid;
}

function isWatched(store: Store): boolean {
  const { synced, state } = store.health();
  return synced && state.kind === 'watching';
}

function subjectsOf(decision: KubeObject): readonly ObjectKey[] {
  const name = readString(decision, 'spec', 'rolloutRef', 'name') ?? readString(decision, 'spec', 'applicationRef', 'name');
  return [toObjectKey({ namespace: decision.metadata.namespace, name: name ?? '' })];
}

const keysOfDecision = ({ after }: StoreChange) => (after === undefined ? [] : subjectsOf(after));

/** What was there, and is gone or another one. */
const keysOfReplaced = ({ key, before, after }: StoreChange) =>
  before !== undefined && before.metadata.uid !== after?.metadata.uid ? [key] : [];
