/** The member of an address that names the cluster of which the page is. */
export const CLUSTER_PARAM = 'cluster';

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

/** A query that names a cluster, last. */
export function inCluster(query: string, cluster: string): string {
  const params = withoutCluster(new URLSearchParams(query));
  return new URLSearchParams([...params, [CLUSTER_PARAM, cluster]]).toString();
}
