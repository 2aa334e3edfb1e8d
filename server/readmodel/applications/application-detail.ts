import type { ApplicationDetail, ComponentView, RevisionRow } from '@/lib/contract/application-rows';
import { listConditions } from '@/lib/kube/condition';
import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { rolledOutComponent } from '@/server/application';
import { revisionNumberOf } from '@/server/dispatch';
import { asHeadline } from '../headline';
import type { ApplicationFacts, FactsDeps } from './application-facts';
import { imagesOf, isUnderWay, replicasOf } from './application-facts';
import { describePolicy } from './describe-policy';
import type { TreeDeps } from './tree';
import { toTree } from './tree';
import { ownRevisions } from './wanted';

/** Everything the page of one application shows. */
export function toApplicationDetail(facts: ApplicationFacts, deps: FactsDeps & Pick<TreeDeps, 'knownOf'>): ApplicationDetail {
  const { application, rollout } = facts;
  const { namespace = '', name = '' } = application.metadata;
  const tree = toTree(facts, deps);
  return {
    key: toObjectKey(application.metadata),
    ns: namespace,
    name,
    uid: application.metadata.uid ?? '',
    generation: application.metadata.generation ?? 0,
    health: facts.status.health,
    activity: facts.activity,
    message: facts.status.message,
    deleting: application.metadata.deletionTimestamp !== undefined,
    rollout: rollout === undefined ? null : { ns: namespace, name: rollout.told.name },
    notice: noticeOf(facts),
    conditions: listConditions(application),
    components: toComponents(application),
    policies: readList(application, 'spec', 'policies').map((policy) => toPolicy(policy, facts)),
    revisions: toRevisions(facts, deps),
    tree: tree.nodes,
    treeTotal: tree.total,
    trackers: facts.trackers.map((tracker) => tracker.metadata.name ?? ''),
    drift: facts.drift,
  };
}

/** After an abort, and on the way back: who was sent back and why, while the rest of the page speaks of what runs. */
function noticeOf({ application, rollout }: ApplicationFacts): string | null {
  const abort = rollout?.told.abort ?? null;
  return rollout === undefined || abort === null ? null : asHeadline(rollout.sentence, [application.metadata.name, abort.rejected]);
}

/** A policy as it is asked for; of a looser one that it is not in force yet. */
function toPolicy(asked: unknown, { rollout }: ApplicationFacts): ApplicationDetail['policies'][number] {
  const policy = describePolicy(asked);
  if (policy.type !== 'rollout' || (rollout?.told.loosening ?? null) === null) return policy;
  return { ...policy, summary: `not in force until it is approved, a stricter one applies: ${policy.summary}` };
}

function toComponents(application: KubeObject): ComponentView[] {
  const rolledOut = rolledOutComponent(application);
  return readList(application, 'spec', 'components').map((component) => ({
    name: readString(component, 'name') ?? '',
    type: readString(component, 'type') ?? '',
    image: readString(component, 'properties', 'image') ?? null,
    replicas: replicasOf(component) ?? null,
    traits: readList(component, 'traits').flatMap((trait) => readString(trait, 'type') ?? []),
    rolledOut: readString(component, 'name') === rolledOut,
  }));
}

function toRevisions(facts: ApplicationFacts, { view, tracked }: FactsDeps): RevisionRow[] {
  const trackerOf = new Map(facts.trackers.map((tracker) => [tracked.revisionOf(tracker), tracker.metadata.name ?? '']));
  const rejected = facts.rollout?.told.abort?.rejected;
  const rows = ownRevisions(facts.application, view).map(({ name, number, object: revision }): RevisionRow => {
    return {
      name,
      number,
      createdAt: revision.metadata.creationTimestamp ?? null,
      images: [...imagesOf({ ...revision, spec: { components: readList(revision, 'spec', 'application', 'spec', 'components') } })],
      tracker: trackerOf.get(name) ?? null,
      state: stateOf(name, facts, rejected, trackerOf.has(name)),
    };
  });
  return rows.reverse();
}

function stateOf(name: string, { revision, rollout }: ApplicationFacts, rejected: string | undefined, hasTracker: boolean): RevisionRow['state'] {
  const inNumber = revisionNumberOf(name);
  const sameNumber = (workload: string | undefined) => workload !== undefined && revisionNumberOf(workload) === inNumber;
  if (rejected !== undefined && sameNumber(rejected)) return 'rejected';
  if (name === revision && (!isUnderWay(rollout) || !sameNumber(rollout.told.to))) return 'current';
  // Also once every stage is through, until the old revision is collected and the application names the new one.
  if (sameNumber(rollout?.told.to)) return 'target';
  return hasTracker ? 'previous' : 'superseded';
}
