import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { ignoreNotFound, isAlreadyExists, isConflict, retryOnConflict } from '@/server/kube';
import { signatureVerifier } from '@/server/platform';
import type { HeadStorage } from '@/server/store';
import { addHeads, keptHeads } from '@/server/store';

/** Keeps heads of the record in the cluster, a ConfigMap for each key, so that installations with other records do not mix theirs in. */
export function auditHeadsInCluster(
  cluster: Cluster,
  { namespace, keepsRunning }: { readonly namespace: string; readonly keepsRunning: boolean },
): HeadStorage {
  const read = async (publicKey: string): Promise<KubeObject | undefined> => {
    return ignoreNotFound(cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: nameOf(publicKey) }));
  };
  return {
    name: `ConfigMaps slipway-audit-* in ${namespace}`,
    keepsRunning,
    read: async (publicKey) => headsOf(await read(publicKey)),
    async keep(publicKey, heads) {
      // Where another replica wrote meanwhile, what it wrote is taken in.
      const mayPass = (error: unknown) => isConflict(error) || isAlreadyExists(error);
      const keep = async () => {
        const found = await read(publicKey);
        const merged = found === undefined ? heads : addHeads(headsOf(found) ?? heads, heads, publicKey);
        const object = { ...(found ?? emptyFor(publicKey, namespace)), data: { 'heads.json': JSON.stringify(merged) } };
        await (found === undefined ? cluster.create(object) : cluster.update(object));
      };
      await retryOnConflict(keep, { mayPass });
    },
  };
}

function nameOf(publicKey: string): string {
  return `slipway-audit-${signatureVerifier.sha256(publicKey).slice(0, 16)}`;
}

function emptyFor(publicKey: string, namespace: string): KubeObject {
  const annotations = { 'slipway.dev/audit-public-key': publicKey };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: nameOf(publicKey), namespace, annotations } };
}

function headsOf(object: KubeObject | undefined) {
  const text = readString(object, 'data', 'heads.json');
  return text === undefined ? undefined : keptHeads.parse(JSON.parse(text));
}
