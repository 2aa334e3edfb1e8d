import type { DeletionPolicy } from '@/lib/contract/acts/application-deletion';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import { withLabelAuthors } from '@/lib/kube/labels/label-authors';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { inlinePlaces } from '@/lib/kube/sensitive';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Instant } from '@/lib/std/instant';
import type { Cluster, Informers, OwnRights, Person, StoreUse } from '@/server/kube';
import { createAccessReviewer, createOwnUser, Grants } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { Approver } from '@/server/rollout';
import { explainLoosening, explainSelfApproval, explainUnmeetable } from '@/server/rollout';
import { formatWithheld } from '../decide/conditions';
import { decide } from '../decide/decide';
import { collectionOfDeletion } from '../decide/deletion';
import { ObjectStores } from '../observe/object-stores';
import type { ApplicationStores, Observation } from '../observe/observe';
import { addIndexes, observeAs, observeGiven, WATCHED } from '../observe/observe';
import { deletionsOf, serverActionsOf } from '../observe/ungranted';
import type { PermittedKinds } from '../permission/missing-right';
import { withPermittedLabels } from '../permission/propagated';
import type { RightsNeeded } from '../permission/rights-needed';
import { rightsOfChange } from '../permission/rights-of-change';
import { extractValues } from '../values/extract-values';
import { withExtractedValues } from '../values/observe-values';
import type { ValuesKey } from '../values/values-key';
import { temporaryValuesKey } from '../values/values-key';
import { createCachedReader } from './cached-reader';
import type { ChangePlan } from './change-plan';
import { planChange } from './plan-change';
import type { DeletionPlan } from './plan-deletion';
import { planDeletion } from './plan-deletion';
import { withPreviewedDeletion } from './previewed-deletion';
import { POLL_MS, waitUntilReadable } from './wait-until-readable';

export interface ChangePlannerDeps {
  /** As the server: whoever will execute a plan reads for it. */
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly clock: Clock;
  /** What an application may hold that nobody is known to have asked for; everything when absent. */
  readonly unattributed?: PermittedKinds;
  /** What the server itself may do; everything when absent. */
  readonly ownRights?: OwnRights | undefined;
  /** Why nothing ties a name to a person; null when something does. */
  readonly decisionsBlockedReason?: () => string | null;
  /** Everybody who can sign in; undefined, as when absent, where nobody can tell. */
  readonly approvers?: (() => readonly Approver[] | undefined) | undefined;
  /** Names the Secrets for values that stand inline; a key of the process when absent. */
  readonly valuesKey?: ValuesKey;
}

/** An application as it would be, and the Secrets that are written before it. */
export interface Draft {
  readonly object: KubeObject;
  readonly secrets: readonly KubeObject[];
}

export interface PlanOptions {
  readonly signal?: AbortSignal;
  /** Secrets with values that are written before the application. */
  readonly secrets?: readonly KubeObject[];
}

/** Works out what an application as it would be comes to, by the copies and the rights that the engine executes by. */
export interface ChangePlanner extends Disposable {
  /** As it would be once `by` has written it. */
  plan(application: KubeObject, by?: Person, options?: PlanOptions): Promise<ChangePlan>;
  /** What the change needs rights for that was not done before; undefined where nothing of it is new. No kind is watched for it. */
  rightsNeeded(application: KubeObject, by?: Person, signal?: AbortSignal): Promise<RightsNeeded | undefined>;
  /** What deleting it comes to, with its objects or without them. */
  planDeletion(application: KubeObject, objects: DeletionPolicy, signal?: AbortSignal): Promise<DeletionPlan>;
  /** The application without a value that nobody is to read there, and the Secrets that hold those it had. Nothing is written. */
  extractValues(application: KubeObject): Promise<Draft>;
}

/** A planner over the shared copies; kinds are watched from when a plan first names them. */
export function createChangePlanner({
  cluster,
  informers,
  clock,
  unattributed = 'all',
  ownRights,
  decisionsBlockedReason = () => null,
  approvers,
  valuesKey = temporaryValuesKey,
}: ChangePlannerDeps): ChangePlanner {
  const permission = { review: createAccessReviewer(cluster, clock), ownUser: createOwnUser(cluster), unattributed };
  const grants = new Grants(ownRights, 'application');
  const objects = new ObjectStores({ cluster, informers, clock, onChange: () => undefined });
  let opened: { readonly uses: readonly StoreUse[]; readonly stores: ApplicationStores } | undefined;
  const open = () => {
    if (opened !== undefined) return opened.stores;
    const uses = Object.entries(WATCHED).map(([name, kind]) => [name, informers.open(kind)] as const);
    const stores = Object.fromEntries(uses.map(([name, { store }]) => [name, store])) as unknown as ApplicationStores; // one store for each kind of WATCHED
    addIndexes(stores);
    opened = { uses: uses.map(([, use]) => use), stores };
    return stores;
  };
  const look = async (application: KubeObject, by: Person | undefined, signal: AbortSignal) => {
    const stores = open();
    await waitUntilReadable(stores, application.metadata.namespace ?? '', { clock, signal });
    const seen = await withExtractedValues(observeGiven(stores, application), valuesKey);
    const held = stores.applications.get(toObjectKey(application.metadata));
    const noted = by === undefined ? seen.object : withLabelAuthors(seen.object, held, by);
    return withPermittedLabels({ permission, stores, deps: { cluster, clock, decisionsBlockedReason } }, seen, noted);
  };
  return {
    async rightsNeeded(application, by, signal = new AbortController().signal) {
      return rightsOfChange(await look(application, by, signal), clock.now());
    },
    async extractValues(application) {
      return inlinePlaces(application).length === 0 ? { object: application, secrets: [] } : extractValues(application, await valuesKey());
    },
    async plan(application, by, { signal = new AbortController().signal, secrets = [] } = {}) {
      const now = clock.now();
      const seen = await look(application, by, signal);
      await untilKnown(neededBy(seen, now), seen, signal);
      const plan = await planChange(
        seen,
        { object: application, now },
        createCachedReader({ objects, cluster, clock, signal, secrets: [...secrets, ...(seen.inline?.secrets ?? [])] }),
      );
      return {
        ...plan,
        ungranted: await predictUngranted(application, seen),
        withheld: seen.withheld && formatWithheld(seen.withheld),
        ...policyWordsOf(seen, { by: by?.user, now, known: approvers?.() }),
      };
    },
    async planDeletion(application, fate, signal = new AbortController().signal) {
      const seen = await look(withPreviewedDeletion(application, { objects: fate }), undefined, signal);
      const needed = collectionOfDeletion(seen, seen.trackers).olds.flatMap(({ entries }) => entries);
      await untilKnown(needed, seen, signal);
      const reader = createCachedReader({ objects, cluster, clock, signal });
      const plan = await planDeletion(seen, clock.now(), reader);
      return { ...plan, ungranted: await grants.predict(() => deletionsOf(needed), cluster.discovery) };
    },
    [Symbol.dispose]() {
      objects[Symbol.dispose]();
      for (const use of opened?.uses ?? []) use.release();
    },
  };

  /** What the engine will wait for before it writes anything of the application. */
  async function predictUngranted(application: KubeObject, observation: Observation): Promise<string | undefined> {
    const seen = observeAs(observation, application);
    const decision = decide(seen, clock.now());
    return decision.kind === 'run' ? grants.predict(() => serverActionsOf(decision.plan, seen), cluster.discovery) : undefined;
  }

  /** Waits for the first list of kinds that nobody watched before; one that cannot be listed is read object by object. */
  async function untilKnown(needed: readonly TypeRef[], { object }: Observation, signal: AbortSignal): Promise<void> {
    const key = toObjectKey(object.metadata);
    for (let late = await objects.ensure(needed, key, signal); late !== undefined; late = await objects.ensure(needed, key, signal)) {
      await clock.sleep(Math.min(late.againMs, POLL_MS), signal);
    }
  }
}

/** What carrying out an application writes or takes away. */
function neededBy(seen: Observation, now: Instant): readonly TypeRef[] {
  const decision = decide(seen, now);
  if (decision.kind !== 'run') return [];
  const { rendered, olds } = decision.plan;
  return [...rendered.manifests, ...olds.flatMap(({ entries }) => entries)];
}

interface PolicyAsking {
  readonly by: string | undefined;
  readonly now: Instant;
  readonly known: readonly Approver[] | undefined;
}

/** What is said of a rollout policy before it is applied. Who approves is asked about only where that is another than is in force. */
function policyWordsOf(
  { application, rollout, object }: Observation,
  { by = readAnnotatedUser(object, REQUESTED_BY)?.user, now, known }: PolicyAsking,
) {
  if ('fault' in application || application.rollout === undefined) return {};
  const { control } = application.rollout;
  const isInForce = rollout?.inForce !== undefined && deepEqual(rollout.inForce.control.approvals, control.approvals);
  return {
    looser: explainLoosening(rollout, application.rollout, { by, now }),
    unmeetable: isInForce ? undefined : explainUnmeetable(control, { known, by }),
    selfApproval: explainSelfApproval(control, by),
  };
}
