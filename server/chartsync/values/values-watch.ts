import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Cluster, Store, StoreChange, WatchEvent, WatchRoundEnd } from '@/server/kube';
import { isForbidden, listAndWatch } from '@/server/kube';
import type { Clock, Log, Release } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { Impersonation } from '../model/impersonation';
import { noAccountReason } from '../model/impersonation';
import type { DataAddress } from './resolve';

const BY_SOURCE = 'source';
/** Helm keeps a megabyte per revision in Secrets of this type, and nobody takes values from them. */
const NOT_STORAGE = 'type!=helm.sh/release.v1';
/** A server that ends each watch at once is not asked without a pause. */
const REOPEN_MS = 500;
const AGAIN_MS = 10_000;
/** Rights come seldom; until then the values are read at each periodic check. */
const REFUSED_AGAIN_MS = 300_000;

interface ValuesWatchDeps {
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  /** The cluster as the account that acts for a resource. */
  readonly clusterFor: (who: Impersonation) => Cluster;
  /** Hears of a resource for which something may have changed that it takes from a Secret or ConfigMap. */
  readonly changed: (resource: DeclaredRelease, wants: Wanted) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a change asks for: with other credentials the repository of the resource is fetched, which has it looked at where that was missing. */
type Wanted = 'look' | 'fetch';

/** All Secrets or ConfigMaps of one namespace, as one account sees them. */
interface Scope {
  readonly kind: DataAddress['kind'];
  readonly namespace: string;
  readonly who: Impersonation;
}

interface Running {
  uses: number;
  readonly stopping: AbortController;
  readonly run: Promise<void>;
}

/**
 * Watches the Secrets and ConfigMaps that resources take values or credentials from, so that a change of them counts without waiting for the next check or
 * fetch. Nothing of them is kept: an event says which one changed, and whoever takes something from it is told, which reads it anew. One watch serves all
 * resources of an account that take something from one kind in one namespace.
 */
export class ValuesWatch implements AsyncDisposable {
  readonly #deps: ValuesWatchDeps;
  readonly #running = new Map<string, Running>();
  readonly #ended = new Set<Promise<void>>();
  #releases: readonly Release[] = [];

  constructor(deps: ValuesWatchDeps) {
    this.#deps = deps;
    for (const store of deps.stores)
      store.addIndex(BY_SOURCE, (object) => addressesOf(object).map(({ scope, name }) => keyOf(scope, name)));
  }

  /** Watches from now on what the resources that are there, and those that come, take values from. */
  start(): void {
    this.#releases = this.#deps.stores.map((store) => store.subscribe((change) => this.#count(change), { replay: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const release of this.#releases) release();
    for (const key of [...this.#running.keys()]) this.#end(key);
    await Promise.all(this.#ended);
  }

  #count({ before, after }: StoreChange): void {
    // The new ones first: a scope that stays is watched on.
    for (const { scope } of after === undefined ? [] : addressesOf(after)) this.#use(scope);
    for (const { scope } of before === undefined ? [] : addressesOf(before)) this.#leave(scope);
  }

  #use(scope: Scope): void {
    const key = JSON.stringify(scope);
    const running = this.#running.get(key);
    if (running !== undefined) {
      running.uses++;
      return;
    }
    const stopping = new AbortController();
    this.#running.set(key, { uses: 1, stopping, run: this.#run(scope, stopping.signal) });
  }

  #leave(scope: Scope): void {
    const key = JSON.stringify(scope);
    const running = this.#running.get(key);
    if (running !== undefined && --running.uses === 0) this.#end(key);
  }

  #end(key: string): void {
    const running = this.#running.get(key);
    this.#running.delete(key);
    if (running === undefined) return;
    running.stopping.abort(new Error('nothing uses these values any more'));
    this.#ended.add(running.run);
    void running.run.finally(() => this.#ended.delete(running.run));
  }

  /** Goes on from where a watch ended; where that is too long ago, whatever may have changed meanwhile is looked at. */
  async #run(scope: Scope, signal: AbortSignal): Promise<void> {
    const { clock, log, clusterFor } = this.#deps;
    const { kind, namespace, who } = scope;
    let hasGap = false;
    const list = async () => {
      const version = await this.#newest(scope, signal);
      if (hasGap) this.#hear(scope, undefined);
      hasGap = false;
      return version;
    };
    const restMs = (end: WatchRoundEnd) => {
      if (end.kind !== 'failed') {
        hasGap = end.kind === 'expired';
        return hasGap ? 0 : REOPEN_MS;
      }
      log.warn({ ...scope, error: messageOf(end.error) }, 'values are read at the periodic checks only: their sources cannot be watched');
      return isForbidden(end.error) ? REFUSED_AGAIN_MS : AGAIN_MS;
    };
    const hear = ({ object }: WatchEvent) => this.#hear(scope, object.metadata.name);
    const selected = kind === 'Secret' ? { fieldSelector: NOT_STORAGE } : {};
    await listAndWatch({
      cluster: () => clusterFor(who),
      of: { apiVersion: 'v1', kind, namespace },
      clock,
      signal,
      list,
      hear,
      restMs,
      ...selected,
    });
  }

  async #newest({ kind, namespace, who }: Scope, signal: AbortSignal): Promise<string | undefined> {
    for await (const { resourceVersion } of this.#deps.clusterFor(who).list({ apiVersion: 'v1', kind, namespace }, { limit: 1, signal }))
      return resourceVersion;
    return undefined;
  }

  /** Without a name, anything of the scope may have changed. */
  #hear(scope: Scope, name: string | undefined): void {
    for (const store of this.#deps.stores) {
      const found = name === undefined ? store.list(scope.who.namespace) : store.byIndex(BY_SOURCE, keyOf(scope, name));
      for (const object of found) {
        const uses = addressesOf(object).filter((one) => deepEqual(one.scope, scope) && one.name === (name ?? one.name));
        for (const wants of new Set(uses.map((one) => one.wants))) this.#deps.changed(readDeclared(object), wants);
      }
    }
  }
}

interface Named {
  readonly name: string;
  readonly namespace?: string | undefined;
}

interface SourceAddress {
  readonly scope: Scope;
  readonly name: string;
  readonly wants: Wanted;
}

/** The Secrets and ConfigMaps that a resource takes values from, and the Secrets with the credentials of the repositories that it names. */
function addressesOf(object: KubeObject): readonly SourceAddress[] {
  const resource = readDeclared(object);
  const who = resource.onBehalfOf;
  if (noAccountReason(who) !== undefined) return [];
  const at = (kind: DataAddress['kind'], { name, namespace }: Named, wants: Wanted): SourceAddress => ({
    scope: { kind, namespace: namespace ?? who.namespace, who },
    name,
    wants,
  });
  const sources = resource.profile === 'base' ? resource.valuesFrom : resource.spec.valuesFrom;
  const values = sources.flatMap((source) =>
    source.kind === 'Secret' || source.kind === 'ConfigMap' ? [at(source.kind, source, 'look')] : [],
  );
  if (resource.profile === 'base') return values; // the Secret of its repository is the server's
  const { chart } = resource.spec;
  const own = chart.secret === undefined ? [] : [at('Secret', chart.secret, chart.kind === 'git' ? 'fetch' : 'look')];
  const others = chart.kind === 'git' ? chart.dependencySecrets.map(({ secret }) => at('Secret', secret, 'look')) : [];
  return [...values, ...own, ...others];
}

const keyOf = ({ kind, namespace, who }: Scope, name: string) => `${kind}/${namespace}/${name} for ${who.namespace}/${who.account ?? ''}`;
