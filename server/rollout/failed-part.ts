import { messageOf } from '@/lib/contract/app-error';
import type { Condition } from '@/lib/kube/condition';
import { readConditions } from '@/lib/kube/condition';
import { readFields } from '@/lib/kube/fields';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toAddress, toObjectKey } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { formatFailure } from '@/lib/words/failures';
import type { EngineDeps, ReconcileContext, Reconciler } from '@/server/framework';
import { clusterOfPass, isTerminal, isTransient } from '@/server/framework';
import type { Cluster, Store } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import { FIELD_MANAGER } from './act';

/** What goes before kind and name of an object in the type of a condition that tells of failing passes over it. */
const PREFIX = 'Reconciled.';
const BY_PART = 'rollout-failed-part';

/** An object of a rollout over which passes fail. The rollout goes on beside it, so its phase says nothing of that. */
export interface FailedPart {
  readonly kind: string;
  readonly name: string;
  readonly failure: string;
  readonly since: string;
}

/** The objects of a rollout over which the last pass failed. */
export function failedPartsOf(rollout: KubeObject): readonly FailedPart[] {
  return readConditions(rollout).flatMap(({ type, message = '', lastTransitionTime = '' }) => {
    if (!type.startsWith(PREFIX)) return [];
    const [kind = '', ...name] = type.slice(PREFIX.length).split('.');
    return [{ kind, name: name.join('.'), failure: message, since: lastTransitionTime }];
  });
}

/** Declares the index by which the rollout is found that tells of an object, also once the object is gone. */
export function indexFailedParts(rollouts: Store): void {
  rollouts.addIndex(BY_PART, (rollout) => failedPartsOf(rollout).map(({ kind, name }) => partKey(kind, rollout.metadata.namespace, name)));
}

const partKey = (kind: string, namespace: string | undefined, name: string): ObjectKey =>
  toObjectKey({ namespace, name: `${kind}.${name}` });

interface Parts {
  readonly kind: string;
  readonly objects: Store;
  readonly rollouts: Store;
  readonly rolloutOf: (object: KubeObject) => readonly ObjectKey[];
}

/**
 * A reconciler of objects that belong to rollouts, whose failures are told on the rollout: with the object and since when, until a pass over the
 * object succeeds or finds it gone. They are told there since what fails is mostly a write of the object itself.
 */
export function withFailureReports(deps: EngineDeps, parts: Parts, reconcile: Reconciler<ObjectKey>): Reconciler<ObjectKey> {
  /** The rollouts on which this process told of an object; copies of them may not show it yet. */
  const told = new Map<ObjectKey, { readonly rollout: ObjectKey; readonly message: string }>();

  async function notify(key: ObjectKey, context: ReconcileContext, error: unknown): Promise<void> {
    const object = parts.objects.get(key);
    const [rollout] = object === undefined ? [] : parts.rolloutOf(object);
    if (rollout === undefined || context.signal.aborted || isTransient(error) || isTerminal(error)) return;
    const message = formatFailure(messageOf(error), told.get(key)?.message);
    if (told.get(key)?.message === message) return;
    const type = `${PREFIX}${parts.kind}.${parseObjectKey(key).name}`;
    const failed = { type, status: 'False', severity: 'Info', reason: 'ReconcileFailed', message } as const;
    try {
      const isTold = await rewrite(rollout, context, (held) => withFailed(held, failed, toKubeTime(deps.clock.now())));
      if (isTold) told.set(key, { rollout, message });
    } catch (untold) {
      // What it was is what is thrown; it is told by the next try.
      context.log.debug({ error: messageOf(untold) }, 'could not write the failure of a pass to the status of its rollout');
    }
  }

  async function clear(key: ObjectKey, context: ReconcileContext): Promise<void> {
    const { namespace, name } = parseObjectKey(key);
    const shown = parts.rollouts.byIndex(BY_PART, partKey(parts.kind, namespace, name)).map(({ metadata }) => toObjectKey(metadata));
    const known = told.get(key);
    for (const rollout of new Set([...shown, ...(known ? [known.rollout] : [])])) {
      await rewrite(rollout, context, (held) => held.filter(({ type }) => type !== `${PREFIX}${parts.kind}.${name}`));
    }
    told.delete(key);
  }

  /** Answers false where there is no such rollout. */
  async function rewrite(
    rollout: ObjectKey,
    context: ReconcileContext,
    change: (held: readonly Condition[]) => readonly Condition[],
  ): Promise<boolean> {
    const { signal } = context;
    const copy = parts.rollouts.get(rollout);
    if (copy === undefined) return false;
    const cluster = clusterOfPass(deps, context);
    try {
      const live = await cluster.get(toAddress(copy), { signal });
      await writeConditions(live, change(readConditions(live)), cluster, signal);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  return async (key, context) => {
    try {
      const outcome = await reconcile(key, context);
      await clear(key, context);
      return outcome;
    } catch (error) {
      await notify(key, context, error);
      throw error;
    }
  };
}

function withFailed(held: readonly Condition[], failed: Omit<Condition, 'lastTransitionTime'>, now: string): readonly Condition[] {
  const lastTransitionTime = held.find(({ type }) => type === failed.type)?.lastTransitionTime ?? now;
  return [...held.filter(({ type }) => type !== failed.type), { ...failed, lastTransitionTime }];
}

async function writeConditions(live: KubeObject, conditions: readonly Condition[], cluster: Cluster, signal: AbortSignal): Promise<void> {
  if (conditions.length === readConditions(live).length && conditions.every((one) => readConditions(live).includes(one))) return;
  await cluster.update(
    { ...live, status: { ...readFields(live, 'status'), conditions } },
    { subresource: 'status', fieldManager: FIELD_MANAGER, signal },
  );
}
