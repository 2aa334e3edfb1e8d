import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { WatchEvent } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { Release } from '@/server/platform';
import { toServed } from '../kinds/convert';
import { apiVersionOf } from '../kinds/resource';
import type { Change } from '../storage/store';
import type { ApiContext, Target } from './context';
import { toObservedRequest } from './context';
import type { FieldError } from './failures';
import { expired, forbiddenField, invalidOptions, notSupported } from './failures';
import type { ListFlags } from './read';
import { listObjects, parseSelectors, parseVersion } from './read';

export interface WatchFlags extends ListFlags {
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const MAX_UNREAD = 10_000;
const BOOKMARK_EVERY_MS = 60_000;

/**
 * One watch: what happens to a resource, in order, from a version on.
 *
 * 1. Every change since the version is told once; nothing is told twice.
 * 2. Unread events hold the clock. A reader who leaves more than 10 000 unread is cut off.
 * 3. After `end` the reader still gets what came before it.
 */
export class Watch {
  readonly #context: ApiContext;
  readonly #target: Target;
  readonly #matches: (object: KubeObject) => boolean;
  readonly #unread: WatchEvent[] = [];
  readonly #releases: Release[] = [];
  #holding: Release | undefined;
  #waiting: ((result: IteratorResult<WatchEvent, undefined>) => void) | undefined;
  #ended = false;

  constructor(context: ApiContext, target: Target, flags: WatchFlags) {
    this.#context = context;
    this.#target = target;
    checkWatchFlags(flags);
    this.#matches = parseSelectors(target.resource, flags);
    this.#begin(flags);
    const { clock, store, interference, watches } = context;
    this.#releases.push(store.subscribe((change) => this.#onChange(change)));
    const end = () => this.end();
    watches.add(end);
    this.#releases.push(() => void watches.delete(end));
    if (interference !== undefined) this.#releases.push(interference.watching(toObservedRequest('watch', target), end));
    if (flags.timeoutSeconds) this.#releases.push(clock.schedule(flags.timeoutSeconds * 1000, () => this.end()));
    if (flags.allowWatchBookmarks) this.#bookmarkLater();
  }

  /** The next event; done when the watch is over. */
  next(): Promise<IteratorResult<WatchEvent, undefined>> {
    const event = this.#unread.shift();
    if (event !== undefined) {
      if (this.#unread.length === 0) this.#letGo();
      return Promise.resolve({ done: false, value: event });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Takes nothing more; what is unread may still be read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const release of this.#releases) release();
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  /** Ends it and forgets what is unread: nobody listens any more. */
  drop(): void {
    this.#unread.length = 0;
    this.#letGo();
    this.end();
  }

  #begin(flags: WatchFlags): void {
    const { store } = this.#context;
    const { resource } = this.#target;
    const { resourceVersion = '' } = flags;
    const from =
      resourceVersion === '' ? 0 : parseVersion(resourceVersion, (message) => new KubeApiError({ code: 500, reason: '', message }));
    if (from === 0 ? flags.sendInitialEvents !== false : flags.sendInitialEvents === true) {
      const { items } = listObjects(this.#context, this.#target, {
        labelSelector: flags.labelSelector,
        fieldSelector: flags.fieldSelector,
      });
      for (const object of items) this.#push({ type: 'ADDED', object });
      if (flags.sendInitialEvents && flags.allowWatchBookmarks) this.#push(this.#bookmark({ 'k8s.io/initial-events-end': 'true' }));
      return;
    }
    if (from === 0) return;
    if (from < store.forgotten) throw expired(`too old resource version: ${from} (${store.forgotten})`);
    for (const change of store.changesAfter(resource.storage, from)) this.#onChange(change);
  }

  #onChange(change: Change): void {
    const { resource, namespace } = this.#target;
    // With its definition the schema has changed by which objects are told: whoever watches lists anew.
    if (change.storage === DEFINITIONS && change.key === resource.storage && isRedefined(change)) this.end();
    if (change.storage !== resource.storage) return;
    if (namespace !== undefined && resource.namespaced && !change.key.startsWith(`${namespace}/`)) return;
    const was = change.before !== undefined && this.#matches(change.before);
    const is = change.after !== undefined && this.#matches(change.after);
    if (is) this.#push({ type: was ? 'MODIFIED' : 'ADDED', object: toServed(resource, change.after) });
    else if (was) this.#push({ type: 'DELETED', object: toServed(resource, change.last ?? withVersion(change.before, change.version)) });
  }

  #push(event: WatchEvent): void {
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting({ done: false, value: event });
      return;
    }
    if (this.#unread.length >= MAX_UNREAD) {
      this.drop();
      return;
    }
    this.#unread.push(event);
    this.#holding ??= this.#context.clock.hold();
  }

  #letGo(): void {
    this.#holding?.();
    this.#holding = undefined;
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): WatchEvent {
    const { resource } = this.#target;
    const metadata = { resourceVersion: String(this.#context.store.version), ...(annotations ? { annotations } : {}) };
    return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
  }

  #bookmarkLater(): void {
    const cancel = this.#context.clock.schedule(BOOKMARK_EVERY_MS, () => {
      if (this.#ended) return;
      this.#push(this.#bookmark());
      this.#bookmarkLater();
    });
    this.#releases.push(cancel);
  }
}

function isRedefined({ before, after }: Change): boolean {
  return before !== undefined && !deepEqual(before.spec, after?.spec);
}

// An object that ceases to match goes, for this watch, with the version at which it did.
function withVersion(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

function checkWatchFlags({ sendInitialEvents, resourceVersionMatch, continue: token }: WatchFlags): void {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && resourceVersionMatch !== 'NotOlderThan') {
    errors.push(forbiddenField('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  } else if (sendInitialEvents === undefined && resourceVersionMatch) {
    errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (sendInitialEvents !== undefined && resourceVersionMatch && resourceVersionMatch !== 'NotOlderThan') {
    errors.push(notSupported('resourceVersionMatch', resourceVersionMatch, ['NotOlderThan']));
  }
  if (token) errors.push(forbiddenField('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'));
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}
