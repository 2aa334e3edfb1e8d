import type { KubeObject } from '@/lib/kube/object';
import type { PatchOptions } from '@/server/kube';
import { DEPLOYMENT } from '../objects';
import type { Scene } from '../scene';
import { owners } from './ownership';

/** Names who writes. */
export const by = (fieldManager: string, more: Partial<PatchOptions> = {}) => ({ fieldManager, ...more });

/** Applies a configuration as a manager. */
export function applier({ cluster }: Pick<Scene, 'cluster'>) {
  return (object: KubeObject, options: Partial<PatchOptions>) => {
    const { name = '', namespace } = object.metadata;
    return cluster.patch(
      { apiVersion: object.apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) },
      { type: 'apply', body: object },
      options,
    );
  };
}

/** The parts of an object that an apply decides, with its owners; what controllers say of it in the meantime is left out. */
export async function seen(outcome: Promise<KubeObject>): Promise<unknown> {
  const object = await outcome;
  const { status: _status, metadata, ...rest } = object;
  const { resourceVersion: _version, ...told } = metadata;
  return { object: object.kind === DEPLOYMENT.kind ? { ...rest, metadata: told } : object, owners: await owners(object) };
}

/** A deployment that makes no pods. */
export const slim = (
  ns: string,
  name: string,
  spec: object,
  containers: readonly object[] = [{ name: 'main', image: 'web:1' }],
): KubeObject => ({
  ...DEPLOYMENT,
  metadata: { namespace: ns, name },
  spec: {
    paused: true,
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...spec,
  },
});
