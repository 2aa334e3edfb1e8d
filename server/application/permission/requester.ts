import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ActContext } from '../act-context';
import type { RunPlan } from '../decide';
import type { Observation } from '../observe';
import { contentChange } from './content-change';
import type { Asker } from './missing-right';
import { explainMissingRight, explainOutOfReach } from './missing-right';

/** Why a revision that is not made yet may not be made: what is in it, its requester may not put there. Undefined when they may. */
export async function explainUnpermitted(context: ActContext, { application, revision, rendered }: RunPlan, seen: Observation): Promise<string | undefined> {
  const { permission, deps } = context;
  if (revision.stored !== undefined) return undefined; // whoever asked for it then was permitted then
  const change = contentChange({ application, manifests: rendered.manifests, newest: seen.revisions.at(-1), trackers: seen.trackers });
  const requester = readRequester(seen.object);
  const { discovery } = deps.cluster;
  // While nothing ties the name to the person, it is as good as none.
  if (requester === undefined || (deps.barred?.() ?? null) !== null) return explainOutOfReach(change, permission.unattributed, discovery);
  const { user, groups } = requester;
  const asker: Asker = {
    user,
    // Through the connection of the pass: a replica creates only for the applications it handles, questions too.
    may: (right) => permission.review(requester, right, deps.cluster),
    tryCreate: (object) => deps.cluster.as({ user, groups: groups.filter((group) => !group.startsWith('system:')) }).create(object, { dryRun: true }),
  };
  return explainMissingRight(change, asker, discovery);
}

/** Who asked for the spec as it stands. */
export function readRequester({ metadata: { annotations } }: KubeObject): { readonly user: string; readonly groups: readonly string[] } | undefined {
  const user = annotations?.[REQUESTED_BY.user];
  if (user === undefined || user === '') return undefined;
  return { user, groups: (annotations?.[REQUESTED_BY.groups] ?? '').split('\n').filter((group) => group !== '') };
}
