import { AppError } from '@/lib/contract/app-error';
import type { TypeRef } from '@/lib/kube/object';
import type { ApiResource } from '../cluster';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection; all namespaces when none is given. */
export function collectionPath(resource: ApiResource, namespace: string | undefined, query: Query = {}): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const within = resource.namespaced && namespace !== undefined && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${within}/${resource.plural}${toQuery(query)}`;
}

/** The path of one object or of a subresource of it. */
export function objectPath(
  resource: ApiResource,
  at: { readonly namespace?: string | undefined; readonly name?: string | undefined; readonly subresource?: string | undefined },
  query: Query = {},
): string {
  // Without these checks a missing name would address the whole collection.
  if (at.name === undefined || at.name === '') throw new AppError('invalid', `a ${resource.kind} is addressed without a name`);
  if (at.name === '.' || at.name === '..') throw new AppError('invalid', `"${at.name}" is not a valid name of a ${resource.kind}`);
  if (resource.namespaced && !at.namespace)
    throw new AppError('invalid', `the ${resource.kind} ${at.name} is addressed without a namespace`);
  const below = at.subresource === undefined ? '' : `/${at.subresource.split('/').map(encodeURIComponent).join('/')}`;
  return `${collectionPath(resource, at.namespace)}/${encodeURIComponent(at.name)}${below}${toQuery(query)}`;
}

function toQuery(query: Query): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([key, value]) => [key, String(value)])).toString()}`;
}

/** How sentences name a request: `patch Deployment web in shop`. */
export function describeCall(verb: string, type: TypeRef, namespace: string | undefined, name?: string): string {
  return `${verb} ${type.kind}${name ? ` ${name}` : ''}${namespace ? ` in ${namespace}` : ''}`;
}
