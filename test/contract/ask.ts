import type { Cluster, RawRequest } from '@/server/kube';

/** Asks a path by hand and gives the status; the body is read, since an answer that is left unread keeps its connection. */
export async function statusOf(cluster: Pick<Cluster, 'request'>, request: RawRequest): Promise<number> {
  return (await textOf(cluster, request)).status;
}

/** Asks a path by hand and gives all of the answer. */
export async function textOf(
  cluster: Pick<Cluster, 'request'>,
  request: RawRequest,
): Promise<{ readonly status: number; readonly type: string; readonly text: string }> {
  const { status, headers, body } = await cluster.request(request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, type: String(headers['content-type'] ?? '').split(';')[0] ?? '', text: Buffer.concat(chunks).toString('utf8') };
}
