import { KINDS, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import { pausedBy } from '@/lib/kube/paused-by';
import type { Instant } from '@/lib/std/instant';
import type { ControllerSpec, EngineDeps, Outcome } from '@/server/framework';
import { clusterOfPass, requeueAfter, settled } from '@/server/framework';
import type { Cluster, Store, StoreChange } from '@/server/kube';
import { isConflict, isNotFound } from '@/server/kube';
import { ENGINE, WRITER } from '../act/context';
import { toValuesOwner } from './act-values';
import { VALUES_TYPE, valuesPrefix } from './reference';
import { referencedSecrets, secretsReferencedByRevision } from './referenced-secrets';

/** So long a Secret with values stays that nothing refers to: whoever wrote it may be about to write what does. */
export const UNREFERENCED_MS = 60 * 60_000;

const BY_VALUES = 'application-engine/values';

interface ValuesStores {
  readonly values: Store;
  readonly applications: Store;
  readonly revisions: Store;
}

/**
 * Looks after the Secrets with values of applications.
 *
 * 1. One that an application, or a revision of it, refers to is owned by the application, once there is one, so it goes with it.
 * 2. One that nothing has referred to for an hour goes, unless its application is suspended. The hour is that of this process: a restart begins it anew.
 */
export function valuesController(deps: EngineDeps, stores: ValuesStores): ControllerSpec {
  stores.applications.addIndex(BY_VALUES, referencedSecrets);
  stores.revisions.addIndex(BY_VALUES, secretsReferencedByRevision);
  const unreferred = new Map<ObjectKey, { readonly uid: string; readonly since: Instant }>();
  const referredBy = (refer: (object: KubeObject) => readonly ObjectKey[]) => (change: StoreChange) => [
    ...new Set([change.before, change.after].flatMap((object) => (object === undefined ? [] : refer(object)))),
  ];
  return {
    name: 'values',
    // Together with the application.
    shardKey: (key) => key.slice(0, key.lastIndexOf(valuesPrefix(''))),
    sources: [
      { store: stores.values },
      { store: stores.applications, keysOf: referredBy(referencedSecrets) },
      { store: stores.revisions, keysOf: referredBy(secretsReferencedByRevision) },
    ],
    reconcile: async (key, pass) => {
      const secret = stores.values.get(key);
      const context = { cluster: clusterOfPass(deps, pass), signal: pass.signal, stores, deps };
      if (secret === undefined || !isValues(secret) || isReferred(stores, key)) {
        unreferred.delete(key);
        if (secret !== undefined && isValues(secret)) await ensureOwner(context, secret);
        return settled();
      }
      const uid = secret.metadata.uid ?? '';
      const known = unreferred.get(key);
      const since = known?.uid === uid ? known.since : deps.clock.now();
      unreferred.set(key, { uid, since });
      return collectUnreferred(context, secret, since);
    },
  };
}

interface Context {
  readonly deps: EngineDeps;
  readonly cluster: Cluster;
  readonly stores: ValuesStores;
  readonly signal: AbortSignal;
}

const isValues = ({ type, metadata }: KubeObject) => type === VALUES_TYPE && metadata.labels?.[VALUES_OF] !== undefined;

const isReferred = ({ applications, revisions }: ValuesStores, key: ObjectKey) =>
  applications.byIndex(BY_VALUES, key).length > 0 || revisions.byIndex(BY_VALUES, key).length > 0;

const applicationOf = ({ metadata: { namespace, labels = {} } }: KubeObject) => ({
  ...KINDS.application,
  namespace: namespace ?? '',
  name: labels[VALUES_OF] ?? '',
});

async function ensureOwner({ stores, cluster, signal }: Context, secret: KubeObject): Promise<void> {
  const application = stores.applications.get(toObjectKey(applicationOf(secret)));
  const { name = '', uid, deletionTimestamp } = application?.metadata ?? {};
  const { ownerReferences = [], resourceVersion } = secret.metadata;
  if (uid === undefined || deletionTimestamp !== undefined || ownerReferences.some((owner) => owner.uid === uid)) return;
  // One of a former application of that name is none any more, and would have it collected.
  const others = ownerReferences.filter((owner) => owner.kind !== KINDS.application.kind || owner.name !== name);
  const body = { metadata: { ownerReferences: [...others, toValuesOwner({ name, uid })], resourceVersion } };
  await cluster.patch(toAddress(secret), { type: 'merge', body }, { ...WRITER, signal });
}

/** Deletes it once its hour is over, by what the server says then and not by copies. */
async function collectUnreferred({ cluster, signal, deps }: Context, secret: KubeObject, since: Instant): Promise<Outcome> {
  const leftMs = since + UNREFERENCED_MS - deps.clock.now();
  if (leftMs > 0) return requeueAfter(leftMs);
  const { uid = '', resourceVersion = '', name = '' } = secret.metadata;
  if (await isKeptOnServer(cluster, secret, signal)) return requeueAfter(UNREFERENCED_MS);
  const at = toAddress(secret);
  const message = `nothing has referred to the values in Secret ${name} for an hour`;
  await deps.record({ id: `values.deleted:${uid}`, at: deps.clock.now(), actor: ENGINE, action: 'values.deleted', about: at, message });
  try {
    await cluster.delete(at, { preconditions: { uid, resourceVersion }, signal });
  } catch (error) {
    if (isConflict(error)) return requeueAfter(0);
    if (!isNotFound(error)) throw error;
  }
  return settled();
}

/** Any application may hold this one, so all are asked for; once an hour at most, and only for what seems to be referred to by none. */
async function isKeptOnServer(cluster: Cluster, secret: KubeObject, signal: AbortSignal): Promise<boolean> {
  const key = toObjectKey(secret.metadata);
  const owner = toObjectKey(applicationOf(secret));
  const isSuspended = (one: KubeObject) => pausedBy(one) !== undefined && toObjectKey(one.metadata) === owner;
  const kinds = [
    [KINDS.applicationRevision, secretsReferencedByRevision, secret.metadata.namespace],
    [KINDS.application, referencedSecrets, undefined],
  ] as const;
  for (const [kind, refer, namespace] of kinds) {
    for await (const { items } of cluster.list({ ...kind, ...(namespace === undefined ? {} : { namespace }) }, { signal })) {
      if (items.some((one) => refer(one).includes(key) || isSuspended(one))) return true;
    }
  }
  return false;
}
