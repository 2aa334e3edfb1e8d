import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Cluster, Store } from '@/server/kube';
import { ignoreError, ignoreNotFound, isForbidden, isNoMatch, isUnserved, listAll } from '@/server/kube';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import { releaseKey } from '../model/release';

const AT_ONCE = 8;
/** More resources than are made in a day; what is asked once more costs three lists. */
const MOST = 10_000;

interface UncachedClaimantsDeps {
  readonly cluster: Pick<Cluster, 'list' | 'get'>;
  /** Watched copies of the kinds that declare releases, each of which may be behind the others. */
  readonly stores: readonly Store[];
}

/**
 * Finds who declared a release before a resource and is not heard of yet: the watches of the kinds are each as late as they are. Asked
 * live, once for a resource: whoever is made after that comes after it.
 */
export class UncachedClaimants {
  readonly #deps: UncachedClaimantsDeps;
  /** By uid, those before which nobody is unheard of. */
  readonly #settled = new Set<string>();

  constructor(deps: UncachedClaimantsDeps) {
    this.#deps = deps;
  }

  async of({ uid, created, release }: DeclaredRelease): Promise<readonly DeclaredRelease[]> {
    if (this.#settled.has(uid)) return [];
    const found: DeclaredRelease[] = [];
    for (const store of this.#deps.stores) {
      const unheard = (await this.#list(store)).filter(
        ({ metadata }) => metadata.uid !== uid && (metadata.creationTimestamp ?? '') <= created && !isHeard(store, metadata),
      );
      await inParallel(unheard, AT_ONCE, async ({ metadata: { namespace = '', name = '' } }) => {
        const live = await ignoreNotFound(
          this.#deps.cluster.get({ apiVersion: store.scope.apiVersion, kind: store.scope.kind, namespace, name }),
        );
        if (live !== undefined) found.push(readDeclared(live));
      });
    }
    const claimants = found.filter((one) => releaseKey(one.release) === releaseKey(release));
    if (claimants.length === 0) this.#settle(uid);
    return claimants;
  }

  /** Names only. Of a kind that is not served, or that the server may not list, nobody declares anything. */
  async #list({ scope: { apiVersion, kind } }: Store): Promise<readonly KubeObject[]> {
    const isClosed = (error: unknown) => isForbidden(error) || isNoMatch(error) || isUnserved(error);
    const listing = listAll(this.#deps.cluster, { apiVersion, kind }, { metadataOnly: true });
    return (await ignoreError(isClosed, listing))?.items ?? [];
  }

  #settle(uid: string): void {
    if (this.#settled.size >= MOST) this.#settled.clear();
    this.#settled.add(uid);
  }
}

/** Whether what a store holds is the very object, with the spec that it has now. */
function isHeard(store: Store, { namespace, name, uid, generation }: KubeObject['metadata']): boolean {
  const held = store.get(toObjectKey({ namespace: namespace ?? '', name: name ?? '' }))?.metadata;
  return held?.uid === uid && held?.generation === generation;
}
