import type { ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster, WriteOptions } from '@/server/kube';
import { getApiStatus } from '@/server/kube';

/** A write as it was answered. */
export interface NotedWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** Kind with its subresource, `(dry run)` behind those that only try. */
  readonly what: string;
  readonly name: string;
  readonly code: number;
}

/** The same cluster, whose writes are noted as they are answered; questions about rights are none. */
export function notingWrites(cluster: Cluster, noted: NotedWrite[]): Cluster {
  async function note<Answer>(
    verb: NotedWrite['verb'],
    at: ObjectAddress,
    options: WriteOptions | undefined,
    work: Promise<Answer>,
  ): Promise<Answer> {
    const what = `${at.kind}${options?.subresource ? `/${options.subresource}` : ''}${options?.dryRun ? ' (dry run)' : ''}`;
    const tell = (code: number) => void (at.kind.endsWith('Review') || noted.push({ verb, what, name: at.name, code }));
    try {
      const answer = await work;
      tell(200);
      return answer;
    } catch (error) {
      tell(getApiStatus(error)?.code ?? 0);
      throw error;
    }
  }
  return {
    ...cluster,
    create: (object, options) => note('create', toAddress(object), options, cluster.create(object, options)),
    update: (object, options) => note('update', toAddress(object), options, cluster.update(object, options)),
    patch: (at, patch, options) => note('patch', at, options, cluster.patch(at, patch, options)),
    delete: (at, options) => note('delete', at, options, cluster.delete(at, options)),
    as: (person) => notingWrites(cluster.as(person), noted),
  };
}

/** How often each was written, by verb and kind. */
export function countOf(noted: readonly NotedWrite[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { verb, what } of noted) counts[`${verb} ${what}`] = (counts[`${verb} ${what}`] ?? 0) + 1;
  return counts;
}
