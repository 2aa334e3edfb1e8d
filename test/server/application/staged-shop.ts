import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import type { ApplicationCondition } from '@/server/application/decide/conditions';
import { decide } from '@/server/application/decide/decide';
import type { RunPlan } from '@/server/application/decide/model';
import type { Observation } from '@/server/application/observe/observe';
import type { ObservedRollout } from '@/server/application/observe/observed-rollout';
import type { ResourceTracker } from '@/server/dispatch';
import { revisionOf } from './seen';

export const NOW = 1_000_000 as Instant;
export const POLICY = {
  name: 'staged',
  type: 'rollout',
  properties: { component: 'web', ratio: 20, control: { scaleDownDelaySeconds: 30 } },
};

/** An application of two services, of which a policy rolls one out. */
export const shop = (image: string, policies: readonly object[] = [POLICY], metadata: object = {}): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: 'shop', uid: 'app', generation: 2, ...metadata },
  spec: {
    components: [
      { name: 'web', type: 'webservice', properties: { image }, traits: [{ type: 'scaler', properties: { replicas: 4 } }] },
      { name: 'api', type: 'webservice', properties: { image: 'api:1' } },
    ],
    policies,
  },
});
export const plain = (image: string, metadata: object = {}) => shop(image, [], metadata);
const owned = (uid: string) => ({
  metadata: {
    name: 'web',
    namespace: 'shop',
    ownerReferences: [{ ...KINDS.application, name: 'other', uid, controller: true }],
  },
});
export const rollout = (more: object = {}, owner = 'app') =>
  ({
    ...{ object: { ...KINDS.rolloutOrchestrator, ...owned(owner) }, component: 'web', target: 'web-v1', isUnderWay: false, named: [] },
    ...{ ro: { spec: {}, status: {} }, inForce: undefined, rejected: undefined, completeSince: undefined, ...more },
  }) as unknown as ObservedRollout;
export const tracker = (name: string, more: object = {}) =>
  ({ name, uid: name, entries: [], labels: {}, ...more }) as unknown as ResourceTracker;
export const inForce = { control: {} };

export const first = revisionOf(shop('web:1'), {}, 1);
export const second = revisionOf(shop('web:2'), {}, 2);
/** The plan that is decided, where one is. */
export function planned(seen: Observation, now = NOW): RunPlan {
  const decision = decide(seen, now);
  if (decision.kind !== 'run') throw new Error(JSON.stringify(decision));
  return decision.plan;
}

/** When conditions turned that are stored. */
export const BEFORE = '2025-01-01T00:00:00Z';
/** An application that says these conditions of itself. */
export const told = (...conditions: readonly object[]): KubeObject => ({ ...plain('web:1'), status: { conditions } });
export const one = (type: ApplicationCondition, status: string, reason = 'r', message = 'm') => ({
  ...{ type, status, reason, message, lastTransitionTime: BEFORE },
});
