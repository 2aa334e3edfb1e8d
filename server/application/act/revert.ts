import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { readAnnotatedUser, userAnnotationsRemoval } from '@/lib/kube/user-annotations';
import type { RunPlan } from '../decide/model';
import { answerRevert, manifestsToRevert, replacedObjectReason } from '../decide/revert';
import { explainForbidden } from '../permission/requester';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/**
 * Why what was asked to be put back may not be: an object is not the one that was seen, or whoever asked, for whom the engine writes it, could not
 * write it themselves, whatever client the request came by. Undefined when it may, and when nothing was asked for.
 */
export async function explainRefusedRevert(context: ActContext, plan: RunPlan): Promise<string | undefined> {
  const asked = manifestsToRevert(plan);
  if (asked.length === 0) return undefined;
  const { name, namespace, object } = plan.application;
  const held = asked.map((manifest) => ({ manifest, live: context.objects.read(toAddress(manifest)) }));
  const [another] = held.flatMap(({ manifest, live }) => replacedObjectReason(object, manifest, live) ?? []);
  if (another !== undefined) return another;
  const written = held.map(({ manifest, live }) => ({ object: manifest, verbs: [live === undefined ? 'create' : 'patch'] }));
  const change = { application: describeObject({ kind: KINDS.application.kind, namespace, name }), namespace, written, going: [] };
  return explainForbidden(context, change, readAnnotatedUser(object, PUT_BACK));
}

/**
 * Takes a request to put back away once it was answered, puts the answer on record, and answers the application without it. What cannot be done
 * now goes as well: what is asked for is done at once or not at all.
 */
export async function clearRevertRequest(
  context: ActContext,
  plan: RunPlan,
  object: KubeObject,
  refusal: string | undefined,
): Promise<KubeObject> {
  const answer = answerRevert(plan, refusal);
  if (answer === undefined) return object;
  const { action, sentence } = answer;
  const { resourceVersion } = object.metadata;
  await record(context, {
    id: `${action}:${plan.application.uid}:${resourceVersion}`,
    action,
    about: toAddress(object),
    message: sentence,
  });
  const body = { metadata: { annotations: { [PUT_BACK.asked]: null, ...userAnnotationsRemoval(PUT_BACK) }, resourceVersion } };
  return context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
}
