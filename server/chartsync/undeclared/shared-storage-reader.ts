import { messageOf } from '@/lib/contract/app-error';
import { toObjectKey } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import type { Store, StoreChange } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { HelmStorage, NewestRevision } from '../helm/storage';
import { readDeclared } from '../model/declared';
import { readUninstall } from './uninstalls';

const KEPT_MS = 30_000;
/** Of a namespace where Helm is at work. */
const MOVING_MS = 1000;
/** Rights come seldom: where many namespaces refuse, each is asked more rarely, so that there is one such question a second. */
const PER_REFUSED_MS = 1000;
/** But a right that comes is seen after so long at the latest. */
const REFUSED_MS = 300_000;
const MAX_KEPT = 20_000;
const AT_ONCE = 8;

type Kept = Parameters<HelmStorage['tryNewest']>[0];
type Reading = Awaited<ReturnType<HelmStorage['tryNewest']>> | { readonly kind: 'failed'; readonly why: string };

interface Entry {
  readonly askedAt: Instant;
  readonly reading: Promise<Reading>;
  lastsMs: number;
}

/** What is stored in several namespaces, beside those of which nothing can be told. */
export interface ReadTogether {
  readonly found: readonly NewestRevision[];
  /** Those that may not be listed. */
  readonly refused: readonly string[];
  /** How long it takes until a right that comes there is seen. */
  readonly refusedForMs: number;
  /** Those that could not be listed, all namespaces where it has no name. */
  readonly failed: readonly { readonly namespace: string | undefined; readonly why: string }[];
}

interface SharedReadingsDeps {
  readonly storage: Pick<HelmStorage, 'tryNewest'>;
  readonly namespaces: Store;
  /** Watched copies of the kinds that declare releases, and of the decisions about them. */
  readonly stores: readonly Store[];
  readonly decisions: Store;
  /** The releases that are uninstalled since their resource was deleted, as keys. */
  readonly deletions: () => ReadonlyMap<string, { readonly namespace?: string | undefined }>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What Helm stores, namespace by namespace, read once for all who look. It is read anew after a
 * while, and at once after what uninstalls a release came, moved or ended. That a namespace may
 * not be listed is remembered for longer.
 */
export class SharedStorageReader implements Disposable {
  readonly #deps: SharedReadingsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #ends: readonly Release[];
  /** What was refused, and of which namespace; undefined for all of them. */
  readonly #refused = new Map<string, string | undefined>();
  #deleting = new Map<string, string>();

  constructor(deps: SharedReadingsDeps) {
    this.#deps = deps;
    this.#ends = [
      deps.decisions.subscribe(({ before, after }) => {
        for (const object of [before, after]) this.#forget(object && readUninstall(object)?.release.namespace);
      }),
      ...deps.stores.map((store) => store.subscribe((change) => this.#hear(change))),
    ];
  }

  [Symbol.dispose](): void {
    for (const end of this.#ends) end();
  }

  /** Of all namespaces: as a whole where they may be listed so, else of each. */
  async readAnywhere(kept: Kept): Promise<ReadTogether> {
    this.#noteDeletions();
    const everywhere = await this.#read(kept, undefined);
    if (everywhere.kind === 'found') return { ...NOTHING, found: everywhere.found };
    if (everywhere.kind === 'failed') return { ...NOTHING, failed: [{ namespace: undefined, why: everywhere.why }] };
    const { namespaces } = this.#deps;
    if (!namespaces.health().synced) return { ...NOTHING, failed: [{ namespace: undefined, why: 'namespaces are still being listed' }] };
    return this.readIn(
      kept,
      namespaces.list().map(({ metadata: { name = '' } }) => name),
    );
  }

  async readIn(kept: Kept, namespaces: readonly string[]): Promise<ReadTogether> {
    this.#noteDeletions();
    for (const [key, namespace] of this.#refused) if (!this.#isThere(namespace)) this.#refused.delete(key);
    const [found, refused, failed] = [[] as NewestRevision[], [] as string[], [] as { namespace: string; why: string }[]];
    await inParallel([...namespaces].sort(), AT_ONCE, async (namespace) => {
      const reading = await this.#read(kept, namespace);
      if (reading.kind === 'found') found.push(...reading.found);
      else if (reading.kind === 'refused') refused.push(namespace);
      else failed.push({ namespace, why: reading.why });
    });
    return { found, refused: refused.sort(), refusedForMs: this.#refusedForMs(), failed };
  }

  #read(kept: Kept, namespace: string | undefined): Promise<Reading> {
    const key = keyOf(kept, namespace);
    const now = this.#deps.clock.now();
    const known = this.#entries.get(key);
    if (known !== undefined && known.askedAt <= now && known.askedAt + this.#lastsMs(key, known) > now) return known.reading;
    if (this.#entries.size >= MAX_KEPT) {
      this.#entries.clear();
      this.#refused.clear();
    }
    const reading = this.#ask(kept, namespace);
    const entry: Entry = { askedAt: now, reading, lastsMs: KEPT_MS };
    this.#entries.set(key, entry);
    void reading.then((read) => {
      if (this.#entries.get(key) !== entry) return;
      if (read.kind === 'refused' && this.#isThere(namespace)) this.#refused.set(key, namespace);
      else this.#refused.delete(key);
      if (read.kind === 'found' && read.found.some(isAtWork)) entry.lastsMs = MOVING_MS;
    });
    return reading;
  }

  /** Nobody gives rights in a namespace that does not exist, so those that do wait for none there. */
  #isThere(namespace: string | undefined): boolean {
    const { namespaces } = this.#deps;
    return namespace === undefined || !namespaces.health().synced || namespaces.get(toObjectKey({ name: namespace })) !== undefined;
  }

  #lastsMs(key: string, { lastsMs }: Entry): number {
    return this.#refused.has(key) ? this.#refusedForMs() : lastsMs;
  }

  #refusedForMs(): number {
    return Math.min(Math.max(this.#refused.size * PER_REFUSED_MS, KEPT_MS), REFUSED_MS);
  }

  async #ask(kept: Kept, namespace: string | undefined): Promise<Reading> {
    try {
      return await this.#deps.storage.tryNewest(kept, namespace);
    } catch (error) {
      return { kind: 'failed', why: messageOf(error) };
    }
  }

  /** A resource that goes, or names another release, leaves what it released to nobody, or has taken it away. */
  #hear({ before, after }: StoreChange): void {
    if (before === undefined || before.metadata.generation === after?.metadata.generation) return;
    this.#forget(readDeclared(before).release.namespace);
  }

  /** That an uninstall of this process has ended nothing tells but that it is no more among them. */
  #noteDeletions(): void {
    const now = new Map([...this.#deps.deletions().keys()].map((key) => [key, key.split('/', 1)[0] ?? '']));
    for (const [key, namespace] of [...this.#deleting, ...now]) if (this.#deleting.has(key) !== now.has(key)) this.#forget(namespace);
    this.#deleting = now;
  }

  #forget(namespace: string | undefined): void {
    if (namespace === undefined) return;
    for (const kept of ['secrets', 'configmaps'] as const)
      for (const key of [keyOf(kept, namespace), keyOf(kept, undefined)]) if (!this.#refused.has(key)) this.#entries.delete(key);
  }
}

const NOTHING: ReadTogether = { found: [], refused: [], refusedForMs: KEPT_MS, failed: [] };
const keyOf = (kept: Kept, namespace = '') => `${kept}/${namespace}`;
const isAtWork = ({ entry: { status } }: NewestRevision) => status === 'uninstalling' || status.startsWith('pending-');
