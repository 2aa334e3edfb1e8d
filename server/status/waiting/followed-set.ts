import type { Release } from '@/server/platform';
import { StatusCollector } from '../collector';
import { toIdentifierKey } from '../identifier';
import type { ResourceStatus } from '../resource-status';
import { evaluateSet } from './outcome';
import type { Followed, KeyListener, StatusSet, StatusStream, Verdict } from './status-set';
import { KeyListeners } from './status-set';

/** The statuses of a fixed list of objects, collected from a stream until the set is released. */
export class FollowedSet implements StatusSet {
  readonly complete: Promise<void>;
  readonly #collector: StatusCollector;
  readonly #ending = new AbortController();
  readonly #listeners = new KeyListeners();
  readonly #followed: readonly Followed[];
  readonly #keys: readonly string[];
  #latest: readonly ResourceStatus[] | undefined;
  #isComplete = false;

  constructor(stream: StatusStream, followed: readonly Followed[], onFailure: (error: unknown) => void) {
    this.#followed = followed;
    const identifiers = followed.map(({ identifier, apiVersion }) => ({ ...identifier, apiVersion }));
    this.#keys = [...new Set(identifiers.map(toIdentifierKey))];
    this.#collector = new StatusCollector(identifiers);
    this.complete = new Promise((resolve) => {
      const work = this.#collector.listen(stream.watch(identifiers, { signal: this.#ending.signal }), (_collector, event) => {
        this.#latest = undefined;
        if (event.type === 'Update') this.#listeners.notify(toIdentifierKey(event.resource.identifier));
        if (event.type !== 'Sync') return;
        this.#isComplete = true;
        resolve();
      });
      work.catch((error: unknown) => {
        if (!this.#ending.signal.aborted) onFailure(error);
      });
    });
  }

  followed(): readonly Followed[] {
    return this.#followed;
  }

  isComplete(): boolean {
    return this.#isComplete;
  }

  statuses(): readonly ResourceStatus[] {
    this.#latest ??= this.#keys.flatMap((key) => this.#collector.statusOf(key) ?? []);
    return this.#latest;
  }

  statusOf(key: string): ResourceStatus | undefined {
    return this.#collector.statusOf(key);
  }

  evaluate(): Verdict {
    return evaluateSet(this.statuses());
  }

  subscribe(listener: KeyListener): Release {
    return this.#listeners.add(listener);
  }

  release(): void {
    this.#ending.abort(new DOMException('these statuses are no longer followed', 'AbortError'));
  }
}
