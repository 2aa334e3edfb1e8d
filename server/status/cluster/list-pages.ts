import type { KubeObject } from '@/lib/kube/object';
import type { CollectionAddress } from '@/server/kube';
import { getApiStatus } from '@/server/kube';
import type { ApiReader } from './api-reader';

const PAGE_LIMIT = 500;

/** Everything of a collection, page by page. */
export async function listPages(
  api: ApiReader,
  of: CollectionAddress,
  { signal, labelSelector }: { readonly signal: AbortSignal; readonly labelSelector?: string | undefined },
): Promise<{ readonly objects: readonly KubeObject[]; readonly requests: number }> {
  const selected = { signal, ...(labelSelector === undefined ? {} : { labelSelector }) };
  const objects: KubeObject[] = [];
  let requests = 0;
  let token: string | undefined;
  do {
    requests++;
    try {
      const page = await api.listPage(of, { ...selected, limit: PAGE_LIMIT, ...(token === undefined ? {} : { continue: token }) });
      objects.push(...page.items);
      token = page.continue || undefined;
    } catch (error) {
      // The rest of a list that grew too old is gone; all of it at once cannot grow old.
      if (token === undefined || getApiStatus(error)?.reason !== 'Expired') throw error;
      return { objects: (await api.listPage(of, selected)).items, requests: requests + 1 };
    }
  } while (token !== undefined);
  return { objects, requests };
}
