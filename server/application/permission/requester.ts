import { DEEPEST_APPLICATION } from '@/lib/kube/depth';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId, toObjectKey } from '@/lib/kube/object';
import { readAnnotatedUser, withoutSystemGroups } from '@/lib/kube/user-annotations';
import { LABEL, readTracker } from '@/server/dispatch';
import type { Person, Store } from '@/server/kube';
import { yieldToEventLoop } from '@/server/platform';
import type { ActContext } from '../act/context';
import type { RunPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import { explainMissingRight, explainUnattributedObject } from './missing-right';
import type { RightsNeeded } from './rights-needed';
import { rightsNeeded } from './rights-needed';

/** What is asked, and by what it is known whose rights count. */
export interface RequesterCheck extends Pick<ActContext, 'permission' | 'stores'> {
  readonly deps: Pick<ActContext['deps'], 'cluster' | 'clock' | 'decisionsBlockedReason'>;
}

/**
 * Why what a plan needs beyond the one that was permitted before may not be done: its requester may not do it themselves. Undefined when they may.
 * Nothing of the kinds that the plan names is listed, watched or recorded for it.
 */
export async function explainUnpermitted(context: ActContext, plan: RunPlan, seen: Observation): Promise<string | undefined> {
  const needed = rightsNeeded(plan, seen);
  if (needed === undefined) return undefined; // whoever asked for it then was permitted then
  await yieldToEventLoop(context.deps.clock);
  if (needed.written.length === 0 && needed.going.length === 0) return undefined;
  return explainForbidden(context, needed, await noteOf(context, seen.object, (object) => readAnnotatedUser(object, REQUESTED_BY)));
}

/**
 * Why whoever is noted may not have a change made; of nobody in particular it goes by what such applications may hold. While nothing ties the name to the
 * person, as when policies cannot be read because the API server restarts, it may be neither more than that nor more than who is noted may do themselves.
 */
export async function explainForbidden(
  { permission, deps }: RequesterCheck,
  change: RightsNeeded,
  requester: Person | undefined,
): Promise<string | undefined> {
  const { discovery } = deps.cluster;
  const isTied = (deps.decisionsBlockedReason?.() ?? null) === null;
  const unattributed =
    requester === undefined || !isTied ? await explainUnattributedObject(change, permission.unattributed, discovery) : undefined;
  if (requester === undefined || unattributed !== undefined) return unattributed;
  const { user, groups } = requester;
  const asker = {
    user,
    // Through the connection of the pass: a replica creates only for the applications it handles, questions too.
    may: (right: Parameters<typeof permission.review>[1]) => permission.review(requester, right, { through: deps.cluster }),
    tryCreate: async (object: KubeObject) =>
      deps.cluster.as({ user, groups: withoutSystemGroups(groups) }).create(object, { dryRun: true }),
  };
  return explainMissingRight(change, asker, discovery);
}

/** Who is noted on an application as it is, by the same rule as `notedOn`. */
export async function noteOf(
  { permission, stores }: RequesterCheck,
  application: KubeObject,
  read: (object: KubeObject) => Person | undefined,
): Promise<Person | undefined> {
  return read(application) === undefined ? undefined : notedOn(application, read, { own: await permission.ownUser(), ...stores });
}

/** What tells in whose application another one lies, and whom the API server takes this server for. */
export interface OuterApplications {
  readonly own: string | undefined;
  readonly applications: Pick<Store, 'get'>;
  readonly trackers: Pick<Store, 'list'>;
}

/**
 * Who is noted on an application as it is. One that lies in another application was written by the server, and whoever is noted on the outer one counts,
 * however deep; which one that is, trackers say, since only engines write those.
 */
export function notedOn(
  application: KubeObject,
  read: (object: KubeObject) => Person | undefined,
  among: OuterApplications,
): Person | undefined {
  let object: KubeObject | undefined = application;
  for (let depth = 0; depth <= DEEPEST_APPLICATION && object !== undefined; depth++) {
    const noted = read(object);
    if (noted === undefined || noted.user !== among.own) return noted;
    const outer = outerOf(object, among);
    if (outer === undefined) return isOfAnother(object) ? undefined : noted;
    object = among.applications.get(outer);
  }
  return undefined;
}

/** The application whose record lists this one. */
function outerOf(
  { metadata: { name = '', namespace } }: KubeObject,
  { trackers }: Pick<OuterApplications, 'trackers'>,
): string | undefined {
  const id = toObjectId({ ...KINDS.application, name, ...(namespace ? { namespace } : {}) });
  for (const object of trackers.list()) {
    const labels = object.metadata.labels ?? {};
    const [outer, outerNamespace] = [labels[LABEL.appName], labels[LABEL.appNamespace] ?? labels[LABEL.appNamespaceMisspelt]];
    if (outer === undefined || outerNamespace === undefined || (outer === name && outerNamespace === namespace)) continue;
    if (readTracker(object).entries.some((entry) => !entry.deleted && toObjectId(entry) === id))
      return toObjectKey({ namespace: outerNamespace, name: outer });
  }
  return undefined;
}

/** True while an application bears the name of another one, whose record has not been heard of yet or is gone. */
function isOfAnother({ metadata: { name, namespace, labels = {} } }: KubeObject): boolean {
  return labels[LABEL.appName] !== undefined && (labels[LABEL.appName] !== name || labels[LABEL.appNamespace] !== namespace);
}
