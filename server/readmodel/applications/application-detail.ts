import type { ApplicationDetail, ComponentView, RevisionRow } from '@/lib/contract/application-rows';
import type { ObjectCounts } from '@/lib/contract/tree-rows';
import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { rolledOutComponent } from '@/server/application';
import { describeConditions } from '@/server/status';
import { capitalise } from '../capitalise';
import type { ApplicationFacts, FactsDeps } from './application-facts';
import { imagesOf, replicasOf } from './application-facts';
import { describePolicy } from './describe-policy';
import { ownRevisions } from './desired';
import { stateOfRevision } from './revision-state';

/** Everything the page of one application shows. */
export function toApplicationDetail(facts: ApplicationFacts, objects: ObjectCounts | undefined, deps: FactsDeps): ApplicationDetail {
  const { application, rollout } = facts;
  const { namespace = '', name = '' } = application.metadata;
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
    suspended: facts.suspended ?? null,
    rollout: rollout === undefined ? null : { ns: namespace, name: rollout.told.name },
    notice: noticeOf(facts),
    conditions: [...describeConditions(application)],
    components: toComponents(application),
    policies: readList(application, 'spec', 'policies').map((policy) => toPolicy(policy, facts)),
    revisions: toRevisions(facts, deps),
    objects: objects ?? { total: 0, kinds: [], statuses: [], namespaces: [], oldestPoll: null },
    trackers: facts.trackers.map((tracker) => tracker.metadata.name ?? ''),
    drift: facts.drift,
  };
}

/** After an abort, and on the way back: who was sent back and why, while the rest of the page speaks of what runs. */
function noticeOf({ application, rollout }: ApplicationFacts): string | null {
  const abort = rollout?.told.abort ?? null;
  return rollout === undefined || abort === null ? null : capitalise(rollout.sentence, [application.metadata.name, abort.rejected]);
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

/** The revisions of an application, newest first. */
export function toRevisions({ application, rollout, trackers }: ApplicationFacts, { view, tracked }: FactsDeps): RevisionRow[] {
  const trackerOf = new Map(trackers.map((tracker) => [tracked.revisionOf(tracker), tracker.metadata.name ?? '']));
  const own = ownRevisions(application, view);
  const newest = own.at(-1)?.name;
  const rows = own.map(({ name, number, object: revision }): RevisionRow => {
    return {
      name,
      number,
      createdAt: revision.metadata.creationTimestamp ?? null,
      images: [...imagesOf({ ...revision, spec: { components: readList(revision, 'spec', 'application', 'spec', 'components') } })],
      tracker: trackerOf.get(name) ?? null,
      state: stateOfRevision(name, { application, rollout, newest, hasTracker: trackerOf.has(name) }),
    };
  });
  return rows.reverse();
}
