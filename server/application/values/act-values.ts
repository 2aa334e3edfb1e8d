import { AppError } from '@/lib/contract/app-error';
import { KINDS, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectKey } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { inParallel } from '@/lib/std/in-parallel';
import { isAlreadyExists } from '@/server/kube';
import type { ActContext } from '../act/context';
import { record, WRITER } from '../act/context';
import type { RunPlan, ServedPlan } from '../decide/model';
import type { Observation } from '../observe/observe';
import { createCachedReader } from '../plan/cached-reader';
import type { PlanReader } from '../plan/plan-change';
import type { ParsedApplication } from '../spec/model';
import { referencedSecrets, secretsReferencedByRevision } from './referenced-secrets';
import { readAndResolve } from './resolve-values';

const AT_ONCE = 8;

/** A plan with every value in its place, or why one cannot be had. */
export type PlanWithValues = { readonly kind: 'plan'; readonly plan: RunPlan } | { readonly kind: 'missing'; readonly why: string };

/** Puts the values that a plan refers to into what it applies, read by the engine's own eyes. */
export async function planWithValues(
  { objects, deps, signal }: ActContext,
  plan: RunPlan,
  { inline }: Observation,
): Promise<PlanWithValues> {
  const { values } = createCachedReader({ objects, cluster: deps.cluster, clock: deps.clock, signal, secrets: inline?.secrets });
  const own = await readAndResolve(plan.rendered, plan.application, values);
  if (own.kind === 'missing') return own;
  const served = await servedWithValues(plan, values);
  if (plan.restore === undefined) return { kind: 'plan', plan: { ...plan, rendered: own.rendered, served } };
  const stable = await readAndResolve(plan.restore.rendered, plan.application, values);
  if (stable.kind === 'missing') return stable;
  return { kind: 'plan', plan: { ...plan, rendered: own.rendered, served, restore: { ...plan.restore, rendered: stable.rendered } } };
}

/** A value that went with an older revision holds up nothing of the new one: what refers to it stays as it is. */
async function servedWithValues({ served, application }: RunPlan, values: PlanReader['values']): Promise<RunPlan['served']> {
  const resolved: ServedPlan[] = [];
  for (const one of served) {
    const manifests: KubeObject[] = [];
    for (const manifest of one.rendered.manifests) {
      const each = await readAndResolve({ ...one.rendered, manifests: [manifest] }, application, values);
      if (each.kind === 'resolved') manifests.push(...each.rendered.manifests);
    }
    resolved.push({ ...one, rendered: { ...one.rendered, manifests } });
  }
  return resolved;
}

/** Makes the Secrets for what stands inline in an application, before the revision that refers to them. Those that are there are left. */
export async function ensureValues(context: ActContext, { application, revision }: RunPlan, { inline }: Observation): Promise<void> {
  if (inline === undefined) return;
  const { deps, valueSecrets, signal } = context;
  // A revision that was made while they held values refers to nothing.
  const referred = new Set(
    revision.stored === undefined ? referencedSecrets(application.object) : secretsReferencedByRevision(revision.stored.object),
  );
  const missing = inline.secrets.filter(({ metadata }) => {
    const key = toObjectKey(metadata);
    return referred.has(key) && valueSecrets.get(key) === undefined;
  });
  await inParallel(missing, AT_ONCE, async (bare) => {
    const secret = withOwner(bare, application);
    const at = toAddress(secret);
    const isNew = await createValues(secret, {
      write: () => deps.cluster.create(secret, { ...WRITER, signal }),
      read: () => deps.cluster.get(at, { signal }),
    });
    if (!isNew) return;
    const message = `inline values of application ${application.name} are stored for its revisions`;
    await record(context, { id: `values.kept:${application.uid}:${at.name}`, action: 'values.kept', about: at, message });
  });
}

/** An application that lies in another is there once the other is applied. */
function withOwner(secret: KubeObject, { name, namespace, uid }: ParsedApplication): KubeObject {
  if (secret.metadata.labels?.[VALUES_OF] !== name || secret.metadata.namespace !== namespace) return secret;
  return { ...secret, metadata: { ...secret.metadata, ownerReferences: [toValuesOwner({ name, uid })] } };
}

/** The application that Secrets with its values go with. */
export function toValuesOwner({ name, uid }: { readonly name: string; readonly uid: string }): OwnerReference {
  return { ...KINDS.application, name, uid };
}

interface Making {
  /** As whoever's values they are. */
  write(): Promise<unknown>;
  /** As the server, to compare one that is there. */
  read(): Promise<KubeObject>;
}

/** Makes a Secret with values. False where it is there already; throws rejected where one of its name holds something else. */
export async function createValues(secret: KubeObject, { write, read }: Making): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await read();
    if (deepEqual(found.data, secret.data) && found.type === secret.type && found.immutable === true) return false;
    const { name, namespace } = secret.metadata;
    throw new AppError(
      'rejected',
      `${describeObject({ kind: 'Secret', name, namespace })} already exists with other content; delete it, then try again`,
    );
  }
}
