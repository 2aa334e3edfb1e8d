import { messageOf } from '@/lib/contract/app-error';
import { readConditions } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { ActContext } from './act-context';
import type { RunPlan } from './decide';
import type { OwnDeed } from './permission/grants';
import type { Policies } from './policies';
import { isAbout } from './policies';

/** When an application that waits for a grant is looked at again: nothing tells the server that it may do more. */
export const UNGRANTED_MS = 30_000;

const REASON = 'NotGranted';

/** Why the server may not carry out a plan yet: nobody granted it the namespaces that the plan writes in. Undefined when it may. */
export function explainUngranted(context: ActContext, { application, rendered, olds }: RunPlan): Promise<string | undefined> {
  const deeds = () => {
    const addresses = rendered.manifests.map(toAddress);
    // Manifests always carry a namespace, records of kinds that have none do not.
    const wanted = new Set(addresses.flatMap((at) => [toObjectId(at), toObjectId({ ...at, namespace: undefined })]));
    const going = olds.flatMap(({ entries }) => deletionsOf(entries.filter((entry) => !wanted.has(toObjectId(entry)))));
    return [...writtenOf(rendered.manifests, application.policies), ...going];
  };
  return context.grants.explain(toObjectKey(application), deeds, context.deps.cluster.discovery);
}

function writtenOf(manifests: readonly KubeObject[], { readOnly }: Policies): readonly OwnDeed[] {
  return manifests.flatMap((manifest) => (isAbout(readOnly, manifest) ? [] : [{ verbs: ['create', 'patch'], object: toAddress(manifest) }]));
}

/** Why the server may not take away yet what an application had. */
export function explainUngrantedEnd(context: ActContext, object: KubeObject, entries: readonly TrackerEntry[]): Promise<string | undefined> {
  return context.grants.explain(toObjectKey(object.metadata), () => deletionsOf(entries), context.deps.cluster.discovery);
}

function deletionsOf(entries: readonly TrackerEntry[]): readonly OwnDeed[] {
  return entries.flatMap((entry) => {
    const { apiVersion, kind, namespace, name } = entry;
    return entry.deleted || entry.skipGC ? [] : [{ verbs: ['delete'], object: { apiVersion, kind, name, ...(namespace ? { namespace } : {}) } }];
  });
}

/** Tells by an Event what an application waits for, once for each sentence. Where that may not be written, its conditions tell it all the same. */
export async function tellUngranted({ deps, events }: ActContext, object: KubeObject, message: string): Promise<void> {
  if (readConditions(object).some((told) => told.reason === REASON && told.message === message)) return;
  await events
    .record(deps.cluster, object, { type: 'Warning', reason: REASON, message })
    .catch((error: unknown) =>
      deps.log.debug({ application: object.metadata.name, error: messageOf(error) }, 'what an application waits for could not be told by an Event'),
    );
}
