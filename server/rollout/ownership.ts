import { KINDS, LABELS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf, groupOf } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { AccessReviewer } from '@/server/kube';
import type { BlockedRevision, RolloutView } from './control/view';
import type { RolloutObject } from './objects';

/** True for a rollout that an application owns: what it moves was permitted, and claimed, with the application. */
function isOfApplication({ object }: Pick<RolloutObject, 'object'>): boolean {
  const owner = controllerOf(object);
  return owner?.kind === KINDS.application.kind && groupOf(owner.apiVersion) === groupOf(KINDS.application.apiVersion);
}

/**
 * What a rollout that no application owns may not move, though it names it: a workload of an application, or of another rollout. Otherwise
 * whoever may write rollouts would go past the gates of somebody else's. A label of a rollout that is gone keeps nobody out.
 */
export function findForeignRevision(
  ro: RolloutObject,
  deployments: readonly KubeObject[],
  isThere: (rollout: string) => boolean,
): BlockedRevision | undefined {
  if (isOfApplication(ro)) return undefined;
  for (const deployment of deployments) {
    const { name: revision = '', labels = {} } = deployment.metadata;
    const { [LABELS.appName]: application, [LABELS.rolloutService]: service } = labels;
    if (application !== undefined) return { revision, by: application, why: 'application' };
    if (service !== undefined && service !== ro.rollout.name && isThere(service)) return { revision, by: service };
  }
  return undefined;
}

/**
 * What whoever wrote a rollout that no application owns may not have moved, since they may not patch it themselves. Nobody noted is an engine,
 * or an administrator.
 */
export async function findUnpermittedRevision(
  { ro, workloads }: RolloutView,
  review: AccessReviewer,
): Promise<BlockedRevision | undefined> {
  const writer = readAnnotatedUser(ro.object, REQUESTED_BY);
  if (writer === undefined || isOfApplication(ro)) return undefined;
  const right = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: ro.rollout.namespace };
  if (await review(writer, right)) return undefined;
  for (const revision of workloads.keys()) {
    if (!(await review(writer, { ...right, name: revision }))) return { revision, by: writer.user, why: 'rights' };
  }
  return undefined;
}
