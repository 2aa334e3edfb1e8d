import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { ActContext } from './act-context';
import { record, WRITER } from './act-context';
import type { RunPlan } from './decide';
import { isAsked, PUT_BACK_ANNOTATION, putBackAsked } from './put-back';

/** The plan with nothing but what people asked to be put back; undefined when they asked for nothing that it has. */
export function onlyAsked(plan: RunPlan): RunPlan | undefined {
  const asked = putBackAsked(plan.application.object);
  const manifests = plan.rendered.manifests.filter((manifest) => isAsked(asked, manifest));
  return manifests.length === 0 ? undefined : { ...plan, rendered: { ...plan.rendered, manifests } };
}

/**
 * Takes a request to put back away once it was answered, and answers the application without it. A request that cannot be answered now goes
 * as well, and says so on record: what is asked for is done at once or not at all.
 */
export async function forgetPutBack(context: ActContext, { application, dispatch }: RunPlan, object: KubeObject): Promise<KubeObject> {
  const asked = application.object.metadata.annotations?.[PUT_BACK_ANNOTATION];
  if (asked === undefined) return object;
  const { resourceVersion } = object.metadata;
  if (!dispatch) {
    await record(context, {
      id: `drift.put-back.refused:${application.uid}:${resourceVersion}`,
      action: 'drift.put-back.refused',
      about: toAddress(object),
      message: `${asked} was not put back: nothing of ${application.name} is applied at present`,
    });
  }
  const body = { metadata: { annotations: { [PUT_BACK_ANNOTATION]: null }, resourceVersion } };
  return context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
}
