import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId, toObjectKey } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { ServerAction } from '@/server/kube';
import type { ActContext } from '../act/context';
import type { RunPlan } from '../decide/model';
import type { Policies } from '../spec/policies';
import { isAbout } from '../spec/policies';
import type { Observation } from './observe';

/** Why the server may not carry out a plan yet: nobody granted it the namespaces that the plan writes in. Undefined when it may. */
export function explainUngranted(context: ActContext, plan: RunPlan, seen: Observation): Promise<string | undefined> {
  return context.grants.explain(toObjectKey(plan.application), () => serverActionsOf(plan, seen), context.deps.cluster.discovery);
}

/** What the server does itself to carry out a plan. */
export function serverActionsOf(
  { application, rendered, served, olds }: RunPlan,
  { inline }: Pick<Observation, 'inline'>,
): readonly ServerAction[] {
  const addresses = rendered.manifests.map(toAddress);
  // Manifests always carry a namespace, records of kinds that have none do not.
  const wanted = new Set(addresses.flatMap((at) => [toObjectId(at), toObjectId({ ...at, namespace: undefined })]));
  const going = olds.flatMap(({ entries }) => deletionsOf(entries.filter((entry) => !wanted.has(toObjectId(entry)))));
  const kept = (inline?.secrets ?? []).map((secret) => ({ verbs: ['create'], object: toAddress(secret) }));
  const applied = [rendered, ...served.map((one) => one.rendered)].flatMap(({ manifests }) => manifests);
  return [readingOf(application.namespace), ...writtenOf(applied, application.policies), ...kept, ...going];
}

/**
 * Workloads are looked at before anything is decided about them; what may be listed and not watched is polled. The role of readers gives this
 * everywhere; without it a grant does.
 */
const readingOf = (namespace: string): ServerAction => ({ verbs: ['list'], object: { ...KINDS.deployment, namespace, name: '' } });

function writtenOf(manifests: readonly KubeObject[], { readOnly }: Policies): readonly ServerAction[] {
  return manifests.flatMap((manifest) =>
    isAbout(readOnly, manifest) ? [] : [{ verbs: ['create', 'patch'], object: toAddress(manifest) }],
  );
}

/** Why the server may not take away yet what an application had. */
export function explainUngrantedDeletion(
  context: ActContext,
  object: KubeObject,
  entries: readonly TrackerEntry[],
): Promise<string | undefined> {
  return context.grants.explain(toObjectKey(object.metadata), () => deletionsOf(entries), context.deps.cluster.discovery);
}

/** What the server does itself to take away what an application had. */
export function deletionsOf(entries: readonly TrackerEntry[]): readonly ServerAction[] {
  return entries.flatMap((entry) => {
    const { apiVersion, kind, namespace, name } = entry;
    return entry.deleted || entry.skipGC
      ? []
      : [{ verbs: ['delete'], object: { apiVersion, kind, name, ...(namespace ? { namespace } : {}) } }];
  });
}
