import type { KubeObject, ObjectKey, TypeRef } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import type { ControllerHost } from '../host';
import { follow } from './loop';

/** Objects of one kind without a controller, so that nobody scans a namespace to adopt one. */
export interface Orphans {
  in(namespace: string): readonly KubeObject[];
  release: Release;
}

/** Keeps the orphans of a kind by namespace. */
export function followOrphans(host: ControllerHost, type: TypeRef): Orphans {
  const byNamespace = new Map<string, Set<ObjectKey>>();
  const release = follow(host, type, ({ key, before, after }) => {
    const namespace = (after ?? before)?.metadata.namespace ?? '';
    const keys = byNamespace.get(namespace);
    if (after && controllerOf(after) === undefined) {
      if (keys) keys.add(key);
      else byNamespace.set(namespace, new Set([key]));
    } else if (keys?.delete(key) && keys.size === 0) byNamespace.delete(namespace);
  });
  return {
    in: (namespace) => [...(byNamespace.get(namespace) ?? [])].flatMap((key) => host.get(type, key) ?? []),
    release,
  };
}
