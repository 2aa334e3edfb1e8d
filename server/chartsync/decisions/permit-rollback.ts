import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { AccessReviewer, AccessRight, Cluster } from '@/server/kube';
import { describeRight, placeOfRight } from '@/server/kube';
import type { LiveObjects } from '../cluster/live-objects';
import type { Impersonation } from '../model/impersonation';
import type { ReleaseAct } from '../ports';

interface PermitDeps {
  readonly objects: Pick<LiveObjects, 'readAt' | 'readHooksAt' | 'addressOf'>;
  readonly clusterFor: (who: Impersonation) => Cluster;
  readonly review: AccessReviewer;
}

/** The change that going back makes. */
export interface RollbackChange {
  readonly from: number;
  readonly to: number;
  /** False where the resource says that its hooks are left out. */
  readonly hooks: boolean;
}

/** The hooks that Helm runs for it, which are those of the revision that it goes back to. */
const EVENTS = ['pre-rollback', 'post-rollback'];

/** Helm writes as the account of the namespace, so what going back writes is asked of the person: the first right that they lack, or undefined. One review per verb, kind and namespace. */
export async function missingRollbackRight(
  act: ReleaseAct,
  back: RollbackChange,
  { actor, deps }: { readonly actor: ReleaseDecisionSpec['actor']; readonly deps: PermitDeps },
): Promise<string | undefined> {
  const [now, then] = [await deps.objects.readAt(act.release, back.from), await deps.objects.readAt(act.release, back.to)];
  const hooks = back.hooks ? await deps.objects.readHooksAt(act.release, back.to, EVENTS) : [];
  const idsOf = (objects: readonly KubeObject[]) => new Set(objects.map((object) => idOf(object, act)));
  const [nowIds, thenIds] = [idsOf(now), idsOf(then)];
  const wanted = [
    ...then.map((object) => ({ object, verb: nowIds.has(idOf(object, act)) ? 'update' : 'create' })),
    // What is left of an earlier run is deleted first.
    ...hooks.flatMap((object) => ['create', 'delete'].map((verb) => ({ object, verb }))),
    ...now.filter((object) => !thenIds.has(idOf(object, act))).map((object) => ({ object, verb: 'delete' })),
  ];
  return firstMissingRight(wanted, { act, actor, deps });
}

/** A write of Helm. */
export interface HelmWrite {
  readonly object: KubeObject;
  readonly verb: string;
}

/** Who is asked for, and the release that Helm would write. */
export interface RequestedRollback {
  readonly act: ReleaseAct;
  readonly actor: ReleaseDecisionSpec['actor'];
  readonly deps: Pick<PermitDeps, 'clusterFor' | 'review'>;
}

/** The first right that a person lacks to some writes, in words; undefined where they have them all. One review per verb, kind and namespace. */
export async function firstMissingRight(
  wanted: readonly HelmWrite[],
  { act, actor, deps }: RequestedRollback,
): Promise<string | undefined> {
  const subject = { user: actor.user, groups: actor.groups ?? [] };
  const asked = new Set<string>();
  for (const { object, verb } of wanted) {
    const right = await rightOf(object, verb, { act, deps });
    const key = JSON.stringify(right);
    if (asked.has(key)) continue;
    asked.add(key);
    if (!(await deps.review(subject, right))) return describeRight(right);
  }
  return undefined;
}

const idOf = ({ apiVersion, kind, metadata }: KubeObject, { release }: ReleaseAct) =>
  toObjectId({ apiVersion, kind, namespace: metadata.namespace ?? release.namespace, name: metadata.name ?? '' });

async function rightOf(
  object: KubeObject,
  verb: string,
  { act, deps }: { readonly act: ReleaseAct; readonly deps: Pick<PermitDeps, 'clusterFor'> },
): Promise<AccessRight> {
  const cluster = deps.clusterFor(act.onBehalfOf);
  const { group, plural, namespaced } = await cluster.discovery.resolve({ apiVersion: object.apiVersion, kind: object.kind });
  return { verb, group, resource: plural, ...placeOfRight({ namespaced }, object.metadata.namespace ?? act.release.namespace) };
}
