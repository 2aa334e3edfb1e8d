import { readFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseQuantity } from '@/lib/kube/quantity';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import type { ApiContext } from './context';
import { forbidden } from './failures';

const sizeOf = (claim: Draft | KubeObject) => parseQuantity(readFields(claim, 'spec', 'resources', 'requests').storage) ?? 0;

/** A bound claim grows only where its class says that it may. */
export function admitGrowth({ store }: ApiContext, resource: Resource, object: Draft, previous: KubeObject | undefined): void {
  if (resource.storage !== 'persistentvolumeclaims' || previous === undefined || sizeOf(object) <= sizeOf(previous)) return;
  if (readString(previous, 'status', 'phase') !== 'Bound') return; // refused by its rules, which nothing of an unbound one escapes
  const className = readString(object, 'spec', 'storageClassName') ?? '';
  const storageClass = className === '' ? undefined : store.get('storageclasses.storage.k8s.io', className);
  if (storageClass?.allowVolumeExpansion === true) return;
  const why = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  throw forbidden(resource, previous.metadata.name ?? '', why);
}
