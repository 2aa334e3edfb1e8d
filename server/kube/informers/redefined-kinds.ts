import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import type { Clock, Log, Random, Release } from '@/server/platform';
import { supervise } from '@/server/platform';
import type { Cluster } from '../cluster';
import { Reflector } from '../collection/reflector';
import type { Informers } from '../informer';
import { toKindRef } from '../served';
import { withCaller } from '../with-caller';

/** Milliseconds until every API server of a cluster serves a definition as it is stored. */
export const DEFINITION_SERVED_MS = 2_000;

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadataOnly: true } as const;

export interface RedefinedKindsDeps {
  readonly cluster: Cluster;
  readonly informers: Pick<Informers, 'all' | 'relist'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Has a kind that is watched read anew once its definition is another, since a watch that was opened before goes on telling objects as the older
 * definition keeps them. Of definitions it reads metadata only, and keeps their generations: with schemas they are megabytes.
 */
export class RedefinedKinds implements AsyncDisposable {
  readonly #deps: RedefinedKindsDeps;
  readonly #stop = new AbortController();
  readonly #generations = new Map<string, number | undefined>();
  /** Definitions that changed a moment ago, by name. */
  readonly #due = new Map<string, Release>();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: RedefinedKindsDeps) {
    this.#deps = deps;
  }

  /** Follows the definitions until this is disposed. */
  start(): void {
    const { cluster, clock, random, log } = this.#deps;
    const { signal } = this.#stop;
    const reflector = new Reflector({
      cluster: withCaller(cluster, 'informers'),
      clock,
      random,
      log: log.child({ informer: 'definitions' }),
      scope: DEFINITION,
      objects: {
        put: (object) => this.#hear(object),
        remove: ({ metadata }) => this.#forget(metadata.name ?? ''),
        replace: (objects) => this.#replace(objects),
      },
      takeTurn: (list) => list(),
      onState: () => undefined,
      onContact: () => undefined,
    });
    this.#running = supervise('changes of definitions', () => reflector.run(signal), { clock, log, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
    await this.#running;
  }

  *#replace(objects: readonly KubeObject[]): Iterable<void> {
    const gone = new Set(this.#generations.keys());
    for (const object of objects) {
      gone.delete(object.metadata.name ?? '');
      this.#hear(object);
    }
    for (const name of gone) this.#forget(name);
    yield;
  }

  #hear({ metadata }: KubeObject): void {
    const { name = '', generation } = metadata;
    const isKnown = this.#generations.has(name);
    const before = this.#generations.get(name);
    this.#generations.set(name, generation);
    if (!isKnown || before === generation) return;
    this.#due.get(name)?.();
    this.#due.set(
      name,
      this.#deps.clock.schedule(DEFINITION_SERVED_MS, () => {
        this.#due.delete(name);
        void this.#relist(name);
      }),
    );
  }

  #forget(name: string): void {
    this.#generations.delete(name);
  }

  /** The kinds of a definition that somebody watches, of which there is one; its name is `plural.group`. */
  async #relist(name: string): Promise<void> {
    const { cluster, informers, log } = this.#deps;
    try {
      for (const { scope } of informers.all()) {
        const ref = toKindRef(scope);
        if (!name.endsWith(`.${ref.group}`)) continue;
        const { plural } = await cluster.discovery.resolveKind(ref, this.#stop.signal);
        if (name !== `${plural}.${ref.group}`) continue;
        log.info({ definition: name, kind: scope.kind }, 'a definition changed, its objects are read again');
        await informers.relist(scope);
        return;
      }
    } catch (error) {
      if (!this.#stop.signal.aborted)
        log.warn({ definition: name, error: messageOf(error) }, 'the objects of a changed definition could not be read again');
    }
  }
}
