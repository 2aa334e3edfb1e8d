import type { Cluster } from '@/server/kube';

/** The same cluster, whose plain requests are answered otherwise. */
export function withRequest(cluster: Cluster, request: Cluster['request']): Cluster {
  return new Proxy(cluster, {
    get(target, member) {
      const value: unknown = member === 'request' ? request : Reflect.get(target, member);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
