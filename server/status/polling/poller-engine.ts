import type { Clock } from '@/server/platform';
import type { Awaitable } from '../awaitable';
import type { ApiReader } from '../cluster/api-reader';
import { CachingClusterReader } from '../cluster/caching-reader';
import type { ClusterReader, ClusterReaderFactory } from '../cluster/cluster-reader';
import type { KindMapper } from '../cluster/kind-mapper';
import { isNoKindMatch } from '../cluster/kind-mapper';
import { isAbortLike } from '../cluster/read-errors';
import type { ObjMetadata } from '../identifier';
import { describeGroupKind } from '../identifier';
import { IdentifierMap, KindMap } from '../identifier-map';
import type { ReaderSet } from '../readers/default-readers';
import { defaultStatusReaders, selectReader } from '../readers/default-readers';
import { toStatusError } from '../readers/status-error';
import type { ResourceStatus, StatusEvent } from '../resource-status';
import { isSameStatus } from '../resource-status';
import { Ticker } from './ticker';

export interface PollerEngineConfig {
  readonly api: ApiReader;
  readonly mapper: KindMapper;
  readonly clock: Clock;
  readonly readers?: ReaderSet;
  readonly clusterReaderFactory?: ClusterReaderFactory;
}

export interface PollOptions {
  readonly signal: AbortSignal;
  readonly pollIntervalMs: number;
}

const cachingFactory: ClusterReaderFactory = async (api, mapper, identifiers) => new CachingClusterReader(api, mapper, identifiers);

/** Asks for the status of a fixed list of objects again and again, and tells what changed. */
export class PollerEngine {
  readonly #config: PollerEngineConfig;
  readonly #readers: ReaderSet;
  readonly #createReader: ClusterReaderFactory;

  constructor(config: PollerEngineConfig) {
    this.#config = config;
    this.#readers = config.readers ?? defaultStatusReaders(config.clock);
    this.#createReader = config.clusterReaderFactory ?? cachingFactory;
  }

  /** Ends silently when the signal aborts, for whatever reason; any other end is an Error event, and nothing is tried again. */
  async *poll(identifiers: readonly ObjMetadata[], options: PollOptions): AsyncGenerator<StatusEvent, void, void> {
    const { signal, pollIntervalMs } = options;
    try {
      await this.#validate(identifiers, signal);
      const reader = await this.#newReader(identifiers);
      if (!(pollIntervalMs > 0)) throw new Error('poll interval must be positive');
      if (!Number.isFinite(pollIntervalMs))
        throw new Error(`poll interval must be a finite number of milliseconds, found ${pollIntervalMs}`);
      const run = new Run(reader, this.#readers, signal);
      // Started before the first poll: ticks keep their rhythm however long polls take.
      const ticker = new Ticker(this.#config.clock, pollIntervalMs);
      while (!signal.aborted) {
        await run.begin();
        for (const identifier of identifiers) {
          if (signal.aborted) return;
          const read = run.read(identifier);
          const resource = read instanceof Promise ? await read : read;
          if (!signal.aborted && run.hasChanged(identifier, resource)) yield { type: 'Update', resource };
        }
        await ticker.next(signal);
      }
    } catch (error) {
      if (!isAbortLike(error, signal)) yield { type: 'Error', error: toStatusError(error) };
    }
  }

  async #validate(identifiers: readonly ObjMetadata[], signal: AbortSignal): Promise<void> {
    const mapped = new KindMap<true>();
    for (const identifier of identifiers) {
      if (identifier.namespace !== '' && mapped.get(identifier)) continue; // its kind is known, and it lacks nothing
      try {
        const { namespaced } = await this.#config.mapper.map(identifier, signal);
        mapped.set(identifier, true);
        if (!namespaced || identifier.namespace !== '') continue;
      } catch (error) {
        if (isNoKindMatch(error)) continue; // its definition may be part of the same change
        throw error;
      }
      throw new Error(`resource ${describeGroupKind(identifier)} ${identifier.name} is namespace scoped, but namespace is not set`);
    }
  }

  async #newReader(identifiers: readonly ObjMetadata[]): Promise<ClusterReader> {
    try {
      return await this.#createReader(this.#config.api, this.#config.mapper, identifiers);
    } catch (error) {
      throw new Error(`error creating new ClusterReader: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}

/** Everything that changes during one poll of one caller, so that nothing is shared between two. */
class Run {
  readonly #reader: ClusterReader;
  readonly #readers: ReaderSet;
  readonly #signal: AbortSignal;
  #round: ReaderSet;
  readonly #told = new IdentifierMap<ResourceStatus>();

  constructor(reader: ClusterReader, readers: ReaderSet, signal: AbortSignal) {
    this.#reader = reader;
    this.#readers = readers;
    this.#round = readers;
    this.#signal = signal;
  }

  /** Begins a round: everything is listed anew. */
  async begin(): Promise<void> {
    await this.#reader.sync(this.#signal);
    this.#round = this.#readers.forRound?.() ?? this.#readers;
  }

  read(identifier: ObjMetadata): Awaitable<ResourceStatus> {
    return selectReader(this.#round, identifier).readStatus(this.#signal, this.#reader, identifier);
  }

  /** Whether a status is worth telling; if so it counts as told. */
  hasChanged(identifier: ObjMetadata, resource: ResourceStatus): boolean {
    // Kept under what was asked for and looked up under what was found: where the two differ each round tells it.
    const before = this.#told.get(resource.identifier);
    if (before !== undefined && isSameStatus(before, resource)) return false;
    this.#told.set(identifier, resource);
    return true;
  }
}
