import { messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { nameOfKind } from '@/lib/kube/kinds';
import { toKubeTime } from '@/lib/std/instant';
import { Semaphore } from '@/lib/std/semaphore';
import type { Store, StoreChange } from '@/server/kube';
import type { Clock, Log, Release } from '@/server/platform';
import { claimantsIn } from '../cluster/resources';
import type { ReconcileHistory } from '../describe/reconcile-history';
import type { StoredReleases } from '../helm/stored-releases';
import type { BaseRelease, DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { FoundDrift } from '../model/drift-policy';
import { DRIFT_DETECTION, formatDeviations } from '../model/drift-policy';
import { releaseKey } from '../model/release';
import type { ResourcePort } from '../ports';
import type { LiveCopies } from './cached-objects';
import type { Drift } from './drift';

/** Helm writes one object after the other, and a copy comes a moment later. */
const GATHER_MS = 500;
const AGAIN_MS = 30_000;
const AT_ONCE = 2;

interface DriftWatchDeps {
  readonly drift: Pick<Drift, 'find' | 'forget'>;
  readonly copies: Pick<LiveCopies, 'onChange'>;
  readonly stored: Pick<StoredReleases, 'onChange' | 'newestOf'>;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  /** Why nothing is to be done for one of these kinds. */
  readonly stoppedReason?: (kind: string) => string | null;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly journal: Pick<ReconcileHistory, 'noteDrift'>;
  /** Has a resource of the later kinds looked at: its sync tells drift, and puts it back where that is wanted. */
  readonly enqueue: (resource: DeclaredRelease) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Looks for drift when an object of a release differs in more than its status, or when Helm stored something, and not at each pass. Of the base kind it is
 * shown and never acted on; one of the later kinds is synced, which says what becomes of it.
 */
export class DriftWatch implements AsyncDisposable {
  readonly #deps: DriftWatchDeps;
  readonly #due = new Map<string, Release>();
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #looking = new Map<string, Promise<void>>();
  #ends: readonly Release[] = [];
  #isOver = false;

  constructor(deps: DriftWatchDeps) {
    this.#deps = deps;
  }

  /** Looks at every release of the base kind once, and at those that move from then on. */
  start(): void {
    const { copies, stored, stores } = this.#deps;
    this.#ends = [
      copies.onChange((key) => this.#later(key)),
      stored.onChange((release) => this.#later(releaseKey(release))),
      ...stores.map((store) => store.subscribe((change) => this.#hear(change), { replay: true })),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const end of this.#ends) end();
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
    await Promise.all(this.#looking.values());
  }

  #hear({ before, after }: StoreChange): void {
    const [was, is] = [before, after].map((object) => object && readDeclared(object));
    if (was !== undefined && (is === undefined || releaseKey(is.release) !== releaseKey(was.release))) this.#deps.drift.forget(was.release);
    if (is === undefined) return;
    const isOther = was === undefined || wants(was) !== wants(is) || releaseKey(was.release) !== releaseKey(is.release);
    // What Helm stored came before its sync was through.
    if (isOther || (is.profile === 'extended' && isSettled(is) && !isSettled(was))) this.#later(releaseKey(is.release));
  }

  /** What moves again before its time is looked at once. */
  #later(key: string, ms = GATHER_MS): void {
    if (this.#isOver || this.#due.has(key)) return;
    this.#due.set(
      key,
      this.#deps.clock.schedule(ms, () => {
        this.#due.delete(key);
        this.#begin(key);
      }),
    );
  }

  #begin(key: string): void {
    const under = this.#looking.get(key);
    if (under !== undefined) {
      this.#later(key); // it moved while it was looked at
      return;
    }
    const looking = this.#slots.run(() => this.#look(key)).finally(() => this.#looking.delete(key));
    this.#looking.set(key, looking);
  }

  async #look(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    for (const resource of claimantsIn(this.#deps.stores, { namespace, name })) {
      if (this.#isOver) return;
      if ((this.#deps.stoppedReason?.(nameOfKind(resource.at)) ?? null) !== null) continue;
      if (resource.profile === 'base') await this.#notify(resource);
      else if (resource.spec.driftDetection.mode !== 'disabled' && isSettled(resource)) this.#deps.enqueue(resource);
    }
  }

  async #notify(resource: BaseRelease): Promise<void> {
    const { journal, resources, clock, log } = this.#deps;
    const found = await this.#find(resource);
    if (found === 'under-way') return;
    if (found?.state === 'unknown') this.#later(releaseKey(resource.release), AGAIN_MS);
    journal.noteDrift(resource.at, found);
    const told = readString(resource.status, 'drift', 'message');
    if (told === found?.message && readString(resource.status, 'drift', 'state') === found?.state) return;
    const drift = found === undefined ? null : { at: toKubeTime(clock.now()), ...found };
    await resources
      .writeStatus(resource.at, { drift })
      .catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not record drift'));
  }

  /** Undefined where nothing is compared: nobody wants it, or nothing is stored. While Helm is in the middle of it, what was found before stands. */
  async #find(resource: BaseRelease): Promise<FoundDrift | 'under-way' | undefined> {
    const { drift, stored } = this.#deps;
    if (!wants(resource)) {
      drift.forget(resource.release);
      return undefined;
    }
    const newest = stored.newestOf(resource.release);
    if (newest === undefined || newest.status === 'uninstalled') return undefined;
    if (newest.status.startsWith('pending') || newest.status === 'uninstalling') return 'under-way';
    try {
      const deviations = await drift.find({ release: resource.release, onBehalfOf: resource.onBehalfOf });
      return deviations.length === 0 ? { state: 'none', message: '' } : { state: 'drifted', message: formatDeviations(deviations) };
    } catch (error) {
      return { state: 'unknown', message: messageOf(error) };
    }
  }
}

function wants({ annotations }: Pick<DeclaredRelease, 'annotations'>): boolean {
  return annotations[DRIFT_DETECTION] !== 'disabled';
}

/** While Helm works on it its own sync looks for drift afterwards. */
function isSettled({ status }: DeclaredRelease): boolean {
  return readString(status, 'phase') === 'Succeeded';
}
