import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { controllerOf, parseObjectKey, toObjectKey } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import type { WaitMessage } from '@/lib/words/rollout-message';
import type { Clock, FaultIsolation } from '@/server/platform';
import type { DroppedReason, RolloutDescription } from '@/server/rollout';
import {
  describeRevisions,
  describeRollout,
  indexStores,
  lostPolicyReason,
  observe,
  observeObjects,
  whileOwnerTerminates,
} from '@/server/rollout';
import type { LiveStatus } from '@/server/status';
import type { ClusterView } from '../cluster-view';

/** What is known of a rollout, with what the cluster's definition takes away of it. */
export interface DescribedRollout {
  readonly object: KubeObject;
  readonly told: RolloutDescription;
  /** Why it waits, or that it does not. */
  readonly sentence: string;
  /** Why nobody can tell how it is to go; nothing moves then. */
  readonly lost: string | null;
}

/** Describes a rollout as it is now; undefined when there is none of that key. */
export type DescribeRollout = (key: ObjectKey) => DescribedRollout | undefined;

/** What runs now of each revision that has a StagePodAutoscaler, of one rollout; empty when there is no rollout of that key. */
export type ReadScales = (key: ObjectKey) => readonly (readonly [revision: ObjectKey, RolloutDescription['revisions'][number]])[];

interface RolloutsDeps {
  readonly view: ClusterView;
  readonly clock: Clock;
  /** The computed status by which workloads are judged. */
  readonly status: Pick<LiveStatus, 'of'>;
  readonly dropped: DroppedReason;
  readonly contain: FaultIsolation;
}

/** The rollouts of the copies of the cluster, from the same picture as the engine takes. */
export function createRollouts(deps: RolloutsDeps): { readonly seeRollout: DescribeRollout; readonly seeScales: ReadScales } {
  const { view, clock, status, dropped, contain } = deps;
  const stores = {
    rollouts: view.open(KINDS.rolloutOrchestrator),
    autoscalers: view.open(KINDS.stagePodAutoscaler),
    deployments: view.open(KINDS.deployment),
    horizontalAutoscalers: view.open(KINDS.horizontalPodAutoscaler),
    pods: view.open(KINDS.pod),
    decisions: view.open(KINDS.stageDecision),
    status,
  };
  indexStores(stores);
  const seeScales: ReadScales = (key) => {
    const subject = {
      what: 'rollout',
      kind: KINDS.rolloutOrchestrator.kind,
      key,
      version: stores.rollouts.get(key)?.metadata.resourceVersion,
    } as const;
    const look = () => {
      const observation = observe(stores, key, clock.now());
      const { namespace } = parseObjectKey(key);
      const revisions = observation === null ? [] : describeRevisions(observation.view);
      const keyed = revisions.map((revision) => [toObjectKey({ namespace, name: revision.revision }), revision] as const);
      return keyed.filter(([revision]) => stores.autoscalers.get(revision) !== undefined);
    };
    return contain.attempt(subject, look, () => []);
  };
  const seeRollout: DescribeRollout = (key) => {
    const object = stores.rollouts.get(key);
    if (object === undefined) return undefined;
    const now = clock.now();
    const alone = (rollout: KubeObject) => observeObjects({ rollout, autoscalers: [], workloads: [] }, now);
    return contain.attempt(
      { what: 'rollout', kind: object.kind, key, version: object.metadata.resourceVersion },
      () => {
        // One that is being deleted is looked at by no engine any more; what it came to is still told.
        const application = ownerThatGoes(object, view);
        const described = describeRollout(observe(stores, key, now) ?? alone(object), now);
        const told = application === undefined ? described : whileOwnerTerminates(described, application);
        const lost = lostPolicyReason(object, dropped);
        return { object, told, lost, sentence: lost ?? formatWait(told.waitsFor.message) };
      },
      (lost) => ({ object, told: describeRollout(alone({ ...object, spec: {}, status: {} }), now), lost, sentence: lost }),
    );
  };
  return { seeRollout, seeScales };
}

/** Name of the application that owns a rollout, while it is being deleted. */
function ownerThatGoes(rollout: KubeObject, view: ClusterView): string | undefined {
  const owner = controllerOf(rollout);
  if (owner?.kind !== KINDS.application.kind) return undefined;
  const { namespace } = rollout.metadata;
  const application = view.get(KINDS.application, toObjectKey({ namespace, name: owner.name }));
  return application?.metadata.uid === owner.uid && application?.metadata.deletionTimestamp !== undefined ? owner.name : undefined;
}

/** True until the target carries everything, of an aborted rollout too. */
export function isUnderWay(rollout: DescribedRollout | undefined): rollout is DescribedRollout {
  return rollout !== undefined && rollout.told.position !== 'complete';
}

/** A message of what is awaited, as it is said. */
export function formatWait(message: WaitMessage): string {
  return formatRollout(message);
}

/** Name of the revision that a rollout is to reach. */
export function targetOf(rollout: KubeObject): string | undefined {
  return readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName');
}
