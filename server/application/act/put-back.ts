import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { readNote, withoutNote } from '@/lib/kube/person-note';
import type { RunPlan } from '../decide/decide';
import { explainUnheld } from '../permission/requester';
import { isAsked } from '../put-back';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** The plan with nothing but what people asked to be put back; undefined when they asked for nothing that it has. */
export function onlyAsked(plan: RunPlan): RunPlan | undefined {
  const manifests = manifestsAsked(plan);
  return manifests.length === 0 ? undefined : { ...plan, rendered: { ...plan.rendered, manifests } };
}

/**
 * Why what was asked to be put back may not be: the engine writes it for whoever asked, who must be somebody who could write it too, whatever
 * client the request came by. Undefined when it may, and when nothing was asked for.
 */
export async function explainUnputBack(context: ActContext, plan: RunPlan): Promise<string | undefined> {
  const asked = manifestsAsked(plan);
  if (!plan.dispatch || asked.length === 0) return undefined;
  const { name, namespace, object } = plan.application;
  const isThere = (manifest: KubeObject) => context.objects.read(toAddress(manifest)) !== undefined;
  const written = asked.map((manifest) => ({ object: manifest, verbs: [isThere(manifest) ? 'patch' : 'create'] }));
  const change = { application: describeObject({ kind: KINDS.application.kind, namespace, name }), namespace, written, going: [] };
  return explainUnheld(context, change, readNote(object, PUT_BACK));
}

/**
 * Takes a request to put back away once it was answered, puts the answer on record, and answers the application without it. What cannot be done
 * now goes as well: what is asked for is done at once or not at all.
 */
export async function forgetPutBack(context: ActContext, plan: RunPlan, object: KubeObject, refusal: string | undefined): Promise<KubeObject> {
  const { application } = plan;
  const asked = application.object.metadata.annotations?.[PUT_BACK.asked];
  if (asked === undefined) return object;
  const { resourceVersion } = object.metadata;
  const why = refusal ?? whyNotNow(plan);
  const action = why === undefined ? 'drift.put-back.done' : 'drift.put-back.refused';
  const who = readNote(application.object, PUT_BACK)?.user ?? 'an unknown user';
  await record(context, {
    id: `${action}:${application.uid}:${resourceVersion}`,
    action,
    about: toAddress(object),
    message: why === undefined ? `${asked} was reverted at the request of ${who}` : `${asked} was not reverted, although ${who} requested it: ${why}`,
  });
  const body = { metadata: { annotations: { [PUT_BACK.asked]: null, ...withoutNote(PUT_BACK) }, resourceVersion } };
  return context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
}

function whyNotNow(plan: RunPlan): string | undefined {
  if (!plan.dispatch) return `nothing of ${plan.application.name} is being applied at the moment`;
  return manifestsAsked(plan).length === 0 ? `${plan.revision.name} has no such object` : undefined;
}

const manifestsAsked = ({ rendered, putBack }: RunPlan) => rendered.manifests.filter((manifest) => isAsked(putBack, manifest));
