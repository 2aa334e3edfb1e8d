import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import type { EngineDeps, Reconciler } from '@/server/framework';
import { clusterOfPass, settled } from '@/server/framework';
import { ignoreNotFound } from '@/server/kube';
import { answerDecision } from '../act';
import type { RolloutStores } from '../observe';
import { readDecisionSpec, rolloutOfDecision } from '../observe';
import { toDecisionEntry } from './decision-entry';

interface DecisionDeps extends EngineDeps {
  /** Why nobody carries out rollbacks now; null while somebody does. */
  readonly noRollbackReason: () => string | null;
}

/**
 * Looks after decisions that no rollout answers, and puts every answered one on record.
 *
 * 1. A decision about a rollout that exists is judged in that rollout's own pass, so that racing ones are judged in order.
 * 2. A rollback is judged and carried out by whoever has the application; it is rejected here while nobody does.
 * 3. One about a rollout that is not there, or that cannot be read, is rejected here.
 * 4. The record knows each by its uid; offering it again after a restart adds nothing.
 */
export function createDecisionReconciler(deps: DecisionDeps, stores: RolloutStores): Reconciler<ObjectKey> {
  /** The uid of each that was put on record, until it is gone. */
  const offered = new Map<ObjectKey, string>();

  async function record(key: ObjectKey, object: KubeObject): Promise<void> {
    const { uid = '' } = object.metadata;
    if (offered.get(key) === uid) return;
    await deps.record(toDecisionEntry(object, deps.clock.now()));
    offered.set(key, uid);
  }

  async function isThere(object: KubeObject, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    if (stores.rollouts.get(key) !== undefined) return true;
    const name = readString(object, 'spec', 'rolloutRef', 'name') ?? '';
    const { namespace = '' } = object.metadata;
    // One that is there is newer than our copy: its event brings a pass that judges this.
    return (await ignoreNotFound(deps.cluster.get({ ...KINDS.rolloutOrchestrator, namespace, name }, { signal }))) !== undefined;
  }

  return async (key, context) => {
    const { signal } = context;
    const object = stores.decisions.get(key);
    if (object === undefined) offered.delete(key);
    if (object === undefined || isAboutApplication(object)) return settled();
    const phase = readString(object, 'status', 'phase') ?? 'Pending';
    if (phase !== 'Pending') {
      await record(key, object);
      return settled();
    }
    const [rollout] = rolloutOfDecision(object);
    const spec = readDecisionSpec(object);
    const readable = spec !== undefined && rollout !== undefined;
    const adrift = spec?.verb === 'rollback' ? deps.noRollbackReason() : null;
    if (readable && adrift === null && (await isThere(object, rollout, signal))) return settled();
    const message =
      adrift ??
      (readable ? `there is no rollout ${rollout}` : 'the decision cannot be read: it needs a rollout, a known verb and an actor');
    await answerDecision(object, { phase: 'Rejected', message }, deps.clock.now(), clusterOfPass(deps, context), signal);
    return settled();
  };
}

// Decisions about the garbage of an application are answered by whoever collects it.
function isAboutApplication(object: KubeObject): boolean {
  return (
    readString(object, 'spec', 'applicationRef', 'name') !== undefined && readString(object, 'spec', 'rolloutRef', 'name') === undefined
  );
}
