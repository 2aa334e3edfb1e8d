import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readNote, withoutSystemGroups } from '@/lib/kube/person-note';
import type { Person } from '@/server/kube';
import { breathe } from '@/server/platform';
import type { ActContext } from '../act-context';
import type { RunPlan } from '../decide';
import type { Observation } from '../observe';
import type { ContentChange } from './content-change';
import { contentChange } from './content-change';
import { explainMissingRight, explainOutOfReach } from './missing-right';

/** Why a revision that is not made yet may not be made: what is in it, its requester may not put there. Undefined when they may. */
export async function explainUnpermitted(context: ActContext, { application, revision, rendered }: RunPlan, seen: Observation): Promise<string | undefined> {
  if (revision.stored !== undefined) return undefined; // whoever asked for it then was permitted then
  const change = contentChange({ application, manifests: rendered.manifests, newest: seen.revisions.at(-1), trackers: seen.trackers });
  await breathe(context.deps.clock);
  return explainUnheld(context, change, readNote(seen.object, REQUESTED_BY));
}

/** Why whoever is noted may not have a change made; of nobody in particular it goes by what such applications may hold. */
export async function explainUnheld(
  { permission, deps }: ActContext,
  change: ContentChange,
  requester: Person | undefined,
  verbsOf?: (object: KubeObject) => readonly string[],
): Promise<string | undefined> {
  const { discovery } = deps.cluster;
  // While nothing ties the name to the person, it is as good as none.
  if (requester === undefined || (deps.barred?.() ?? null) !== null) return explainOutOfReach(change, permission.unattributed, discovery);
  const { user, groups } = requester;
  const asker = {
    user,
    // Through the connection of the pass: a replica creates only for the applications it handles, questions too.
    may: (right: Parameters<typeof permission.review>[1]) => permission.review(requester, right, deps.cluster),
    tryCreate: (object: KubeObject) => deps.cluster.as({ user, groups: withoutSystemGroups(groups) }).create(object, { dryRun: true }),
  };
  return explainMissingRight(change, asker, discovery, verbsOf);
}
