/** The member of an address that names the cluster of which the page is. */
export const CLUSTER_PARAM = 'cluster';
/** Where addresses without an origin are; that of others does not count. */
const HERE = 'http://slipway.invalid';

/** What is chosen on a page, without the cluster that it is of. */
export function withoutCluster(params: URLSearchParams): URLSearchParams {
  if (!params.has(CLUSTER_PARAM)) return params;
  const chosen = new URLSearchParams(params);
  chosen.delete(CLUSTER_PARAM);
  return chosen;
}

/** A query that names the cluster which the one before it names. */
export function namedAs(before: string, query: string): string {
  const cluster = new URLSearchParams(before).get(CLUSTER_PARAM);
  return cluster === null ? query : inCluster(query, cluster);
}

/** Whether two addresses are of the same page with the same choices, whether or not one of them names the cluster. */
export function isSameAddress(one: string, other: string): boolean {
  const plain = (href: string) => {
    const { pathname, searchParams, hash } = new URL(href, HERE);
    return `${pathname}?${withoutCluster(searchParams)}${hash}`;
  };
  return plain(one) === plain(other);
}

/** A query that names a cluster, last. */
export function inCluster(query: string, cluster: string): string {
  const params = withoutCluster(new URLSearchParams(query));
  return new URLSearchParams([...params, [CLUSTER_PARAM, cluster]]).toString();
}
