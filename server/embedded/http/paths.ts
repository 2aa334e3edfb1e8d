import type { ApiContext, Target } from '../api/context';
import { badRequest, noSuchPath, notFound } from '../api/failures';
import { findSubresource } from '../kinds/resource';

const ROOTS = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/(.+)$/;
/** Subresources that are paths of their own with more behind them. */
const NAMESPACE_BELOW = new Set(['status', 'finalize']);

/** The target of a path below `/api/v1` or `/apis/<group>/<version>`; undefined when it is no such path. */
export function parseTarget({ registry }: ApiContext, path: string): Target | undefined {
  const found = ROOTS.exec(path);
  if (!found) return undefined;
  const [group, version] = found[1] ? ['', found[1]] : [found[2] ?? '', found[3] ?? ''];
  const { namespace, plural, name, subresource, rest } = split((found[4] ?? '').split('/').map(decoded));
  const resource = registry.byPath(group, version, plural);
  if (resource === undefined || rest.length > 0 || (namespace !== undefined && !resource.namespaced)) throw noSuchPath();
  if (name !== undefined && resource.namespaced && namespace === undefined) throw noSuchPath();
  if (subresource !== undefined && findSubresource(resource, subresource) === undefined)
    throw resource.custom ? notFound(resource, name ?? '') : noSuchPath();
  return { resource, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}), ...(subresource ? { subresource } : {}) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('the path of the request is not a valid URL');
  }
}

function split(parts: readonly string[]) {
  const isWithin = parts[0] === 'namespaces' && parts.length > 2 && !(parts.length === 3 && NAMESPACE_BELOW.has(parts[2] ?? ''));
  const [plural = '', name, subresource, ...rest] = isWithin ? parts.slice(2) : parts;
  return { namespace: isWithin ? parts[1] : undefined, plural, name, subresource, rest };
}
