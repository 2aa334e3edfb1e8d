import { messageOf } from '@/lib/contract/app-error';
import { readConditions } from '@/lib/kube/condition';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { OwnDeed } from '@/server/kube';
import type { ActContext } from '../act/context';
import type { ConditionValue } from '../decide/conditions';
import type { RunPlan } from '../decide/decide';
import type { Policies } from '../spec/policies';
import { isAbout } from '../spec/policies';
import type { Observation } from './observe';

/** When an application that waits for a grant is looked at again: nothing tells the server that it may do more. */
export const UNGRANTED_MS = 30_000;

const REASON = 'NotGranted';

/** Why the server may not carry out a plan yet: nobody granted it the namespaces that the plan writes in. Undefined when it may. */
export function explainUngranted(context: ActContext, plan: RunPlan, seen: Observation): Promise<string | undefined> {
  return context.grants.explain(toObjectKey(plan.application), () => deedsOf(plan, seen), context.deps.cluster.discovery);
}

/** What the server does itself to carry out a plan. */
export function deedsOf({ application, rendered, olds }: RunPlan, { inline }: Pick<Observation, 'inline'>): readonly OwnDeed[] {
  const addresses = rendered.manifests.map(toAddress);
  // Manifests always carry a namespace, records of kinds that have none do not.
  const wanted = new Set(addresses.flatMap((at) => [toObjectId(at), toObjectId({ ...at, namespace: undefined })]));
  const going = olds.flatMap(({ entries }) => deletionsOf(entries.filter((entry) => !wanted.has(toObjectId(entry)))));
  const kept = (inline?.secrets ?? []).map((secret) => ({ verbs: ['create'], object: toAddress(secret) }));
  return [readingOf(application.namespace), ...writtenOf(rendered.manifests, application.policies), ...kept, ...going];
}

/** Workloads are looked at before anything is decided about them. The role of readers gives this everywhere; without it a grant does. */
const readingOf = (namespace: string): OwnDeed => ({ verbs: ['list', 'watch'], object: { ...KINDS.deployment, namespace, name: '' } });

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

/** Tells by an Event what an application waits for. */
export function tellUngranted(context: ActContext, object: KubeObject, message: string): Promise<void> {
  return warnOnce(context, object, { reason: REASON, message });
}

/** Tells by an Event what a condition is about to say, once for each sentence. Where that may not be written, the condition tells it all the same. */
export async function warnOnce({ deps, events }: ActContext, object: KubeObject, { reason, message }: Omit<ConditionValue, 'status'>): Promise<void> {
  if (readConditions(object).some((told) => told.reason === reason && told.message === message)) return;
  await events
    .record(deps.cluster, object, { type: 'Warning', reason, message })
    .catch((error: unknown) =>
      deps.log.debug({ application: object.metadata.name, reason, error: messageOf(error) }, 'what a condition says could not be told by an Event'),
    );
}
