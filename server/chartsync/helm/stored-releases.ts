import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { ActiveNamespaces } from '@/server/framework';
import type { Informers, NamespaceSource, Store, StoreChange, StoreUse } from '@/server/kube';
import { findStaleness } from '@/server/kube';
import type { Release } from '@/server/platform';
import { readDeclared } from '../model/declared';
import type { HelmStatus, ReleaseRef, RevisionEntry } from '../model/release';
import { releaseKey } from '../model/release';
import { toEntry, toListed } from './stored-entry';

const STORED = { apiVersion: 'v1', kind: 'Secret', labelSelector: 'owner=helm', metadataOnly: true } as const;
const BY_RELEASE = 'release';

interface StoredReleasesDeps {
  readonly informers: Pick<Informers, 'open'>;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
}

/**
 * What Helm stored last of each declared release, whoever called Helm, told as it is stored. Metadata only, which is watched in the namespaces of the
 * releases where it may not be as a whole; nothing is opened before there is a release. What is decided by asks the cluster itself: this may be a moment behind.
 */
export class StoredReleases implements Disposable {
  readonly #informers: StoredReleasesDeps['informers'];
  readonly #places: ActiveNamespaces;
  readonly #listeners = new Set<(release: ReleaseRef) => void>();
  readonly #ends: Release[] = [];
  #use: StoreUse | undefined;

  constructor({ informers, stores }: StoredReleasesDeps) {
    this.#informers = informers;
    this.#places = new ActiveNamespaces(stores, (object) => readDeclared(object).release.namespace);
    this.#ends.push(this.#places.subscribe(() => this.#open()));
    this.#open();
  }

  /** The namespaces of declared releases. */
  get places(): NamespaceSource {
    return this.#places;
  }

  /** The newest revision of a release; undefined where none is stored, or nobody may tell. */
  newestOf(release: ReleaseRef): RevisionEntry | undefined {
    let newest: RevisionEntry | undefined;
    for (const object of this.#use?.store.byIndex(BY_RELEASE, releaseKey(release)) ?? []) {
      const entry = toEntry(toListed(object));
      if (entry !== undefined && entry.revision > (newest?.revision ?? 0)) newest = entry;
    }
    return newest;
  }

  /** How many revisions of a release are stored; undefined where nobody may tell. */
  countOf(release: ReleaseRef): number | undefined {
    const store = this.#use?.store;
    return store?.covers(release.namespace).kind === 'held' ? store.byIndex(BY_RELEASE, releaseKey(release)).length : undefined;
  }

  /** The state of the newest revision of each release of a namespace, by name; undefined while that is not known. */
  statesIn(namespace: string, now: Instant): ReadonlyMap<string, HelmStatus> | undefined {
    const store = this.#use?.store;
    if (store?.covers(namespace).kind !== 'held' || findStaleness(store, toObjectKey({ namespace, name: '' }), now) !== undefined)
      return undefined;
    const names = new Set(store.list(namespace).flatMap((object) => releaseOf(object)?.name ?? []));
    return new Map([...names].flatMap((name) => this.#stateOf({ namespace, name })));
  }

  /** Hears which release another revision is stored of, or another state. */
  onChange(listener: (release: ReleaseRef) => void): Release {
    const own = (release: ReleaseRef) => listener(release); // the same function twice is two subscriptions
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends.splice(0)) end();
    this.#places[Symbol.dispose]();
    this.#use?.release();
    this.#use = undefined;
    this.#listeners.clear();
  }

  #open(): void {
    if (this.#use !== undefined || this.#places.values().length === 0) return;
    this.#use = this.#informers.open(STORED);
    const { store } = this.#use;
    store.addIndex(BY_RELEASE, (object) => {
      const release = releaseOf(object);
      return release === undefined ? [] : [releaseKey(release)];
    });
    this.#ends.push(
      store.needIn(this.#places),
      store.subscribe((change) => this.#hear(change), { replay: true }),
    );
  }

  #hear({ before, after }: StoreChange): void {
    const object = after ?? before;
    const release = object && releaseOf(object);
    if (release !== undefined) for (const listener of this.#listeners) listener(release);
  }

  #stateOf(release: ReleaseRef): readonly (readonly [string, HelmStatus])[] {
    const newest = this.newestOf(release);
    return newest === undefined ? [] : [[release.name, newest.status]];
  }
}

function releaseOf({ metadata: { namespace = '', labels } }: KubeObject): ReleaseRef | undefined {
  return labels?.name === undefined ? undefined : { namespace, name: labels.name };
}
