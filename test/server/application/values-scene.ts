import { SECRET, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { VALUES_TYPE } from '@/server/application/values/reference';
import { holding } from './seen';

/** The Secret that most of them are kept in. */
export const KEY = 'shop/web-values-1' as ObjectKey;
/** A value that stands in it. */
export const reference = (name = 'web-values-1', key = 'k') => ({ valueFrom: { secretKeyRef: { name, key } } });
/** A Secret of an application with one value. */
export const secretOf = (name: string, value: unknown, more: object = {}) => ({
  ...SECRET,
  metadata: { name, ...more },
  data: { token: value },
});
/** A Secret that holds values of the application. */
export const values = (name: string, data: object = { k: 'YQ==' }, metadata: object = {}, more: object = {}): KubeObject => ({
  ...{ ...SECRET, metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels: { [VALUES_OF]: 'web' }, ...metadata } },
  ...{ type: VALUES_TYPE, immutable: true, data, ...more },
});
/** An application that refers to it, and one that does not. */
export const refers = (more: object = {}) => holding([secretOf('s', reference())], {}, more);
export const bare = holding([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
