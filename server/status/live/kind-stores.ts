import type { Informers, Store, StoreChange, StoreUse } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import type { KindMapper } from '../cluster/kind-mapper';
import type { GroupKind } from '../identifier';

export interface KindStoresConfig {
  readonly informers: Informers;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears every change of an object. */
  readonly onChange: (of: GroupKind, change: StoreChange) => void;
  /** Hears that what is known of a whole kind may be different now. */
  readonly onKind: (of: GroupKind) => void;
}

interface Held {
  readonly use: StoreUse;
  readonly apiVersion: string;
  readonly releases: Release[];
  looking: Release | undefined;
}

export const FIRST_MAPPING_WAIT_MS = 1000;
export const LONGEST_MAPPING_WAIT_MS = 30_000;

/** The shared copies that one watch uses, one per kind. A kind that is served at another version only is followed there. */
export class KindStores {
  readonly #config: KindStoresConfig;
  readonly #held = new Map<string, Held>();

  constructor(config: KindStoresConfig) {
    this.#config = config;
  }

  /** Opens the copy of a kind unless it is open; rejects when the kind cannot be mapped. */
  async open(of: GroupKind): Promise<void> {
    if (this.#held.has(toKindKey(of))) return;
    const apiVersion = await this.#map(of);
    if (!this.#config.signal.aborted && !this.#held.has(toKindKey(of))) this.#hold(of, apiVersion);
  }

  get(of: GroupKind): Store | undefined {
    return this.#held.get(toKindKey(of))?.use.store;
  }

  close(): void {
    for (const held of this.#held.values()) release(held);
    this.#held.clear();
  }

  async #map(of: GroupKind): Promise<string> {
    const { version } = await this.#config.mapper.map(of, this.#config.signal);
    return of.group === '' ? version : `${of.group}/${version}`;
  }

  #hold(of: GroupKind, apiVersion: string): void {
    const { informers, signal, onChange, onKind } = this.#config;
    const use = informers.open({ apiVersion, kind: of.kind });
    const held: Held = { use, apiVersion, releases: [], looking: undefined };
    this.#held.set(toKindKey(of), held);
    held.releases.push(
      use.store.subscribe((change) => onChange(of, change)),
      use.store.onHealth(() => {
        onKind(of);
        this.#lookElsewhere(of, held, FIRST_MAPPING_WAIT_MS);
      }),
    );
    use.store.synced(signal).then(
      () => onKind(of),
      () => undefined, // aborted while the copy was filling
    );
  }

  /** A definition may go on under another version; the copy of the one that went would wait for ever. */
  #lookElsewhere(of: GroupKind, held: Held, waitMs: number): void {
    if (held.looking !== undefined || !isMissing(held.use.store)) return;
    held.looking = this.#config.clock.schedule(waitMs, () => {
      held.looking = undefined;
      const letGo = this.#config.clock.hold();
      this.#map(of)
        .catch(() => held.apiVersion) // served nowhere, or nobody knows
        .then((apiVersion) => this.#move(of, held, apiVersion, waitMs))
        .finally(letGo);
    });
  }

  #move(of: GroupKind, held: Held, apiVersion: string, waitMs: number): void {
    if (this.#config.signal.aborted || this.#held.get(toKindKey(of)) !== held) return;
    if (apiVersion === held.apiVersion) {
      this.#lookElsewhere(of, held, Math.min(waitMs * 2, LONGEST_MAPPING_WAIT_MS));
    } else {
      release(held);
      this.#hold(of, apiVersion);
    }
  }
}

/** True while a copy cannot be kept because its kind is not served. */
export function isMissing(store: Store): boolean {
  const { state } = store.health();
  return state.kind === 'retrying' && state.isMissing === true;
}

export function toKindKey({ group, kind }: GroupKind): string {
  return `${group}/${kind}`;
}

function release({ use, releases, looking }: Held): void {
  looking?.();
  for (const one of releases) one();
  use.release();
}
