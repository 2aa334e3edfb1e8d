import type { ObjectAddress } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { ResourceStatus } from '../resource-status';
import type { StatusSource, StatusSubscription } from './roots';

/** Hears that the status of an object of a set differs. */
export type SetListener = (name: string, status: ResourceStatus, before: ResourceStatus | undefined) => void;

interface Held {
  readonly subscription: StatusSubscription;
  token: unknown;
}

/** Sets of objects by name, each one subscription: what applications consist of. */
export class WatchedSets {
  readonly #live: Pick<StatusSource, 'subscribe'>;
  readonly #listener: SetListener;
  readonly #held = new Map<string, Held>();

  constructor(live: Pick<StatusSource, 'subscribe'>, listener: SetListener) {
    this.#live = live;
    this.#listener = listener;
  }

  /** Makes a set what is given; the same token says that it is what it was. An empty one ends. */
  set(name: string, objects: readonly ObjectAddress[], token: unknown = {}): void {
    const known = this.#held.get(name);
    if (known?.token === token) return;
    if (objects.length === 0) {
      known?.subscription.release();
      this.#held.delete(name);
      return;
    }
    const held = known ?? { subscription: this.#live.subscribe((...told) => this.#listener(name, ...told)), token };
    this.#held.set(name, held);
    held.token = token;
    held.subscription.set(
      objects.map(({ apiVersion, kind, namespace = '', name: object }) => ({
        group: groupOf(apiVersion),
        kind,
        namespace,
        name: object,
        apiVersion,
      })),
    );
  }

  release(): void {
    for (const { subscription } of this.#held.values()) subscription.release();
    this.#held.clear();
  }
}

/** What is told of an object in one line: why nothing is known of it, where that is so. */
export function sentenceOf({ message, error }: ResourceStatus): string {
  return error?.text ?? message;
}

/** True where the object's own status or its sentence differs, whatever is below it. */
export function differsInItself(status: ResourceStatus, before: ResourceStatus | undefined): boolean {
  return before === undefined || status.status !== before.status || sentenceOf(status) !== sentenceOf(before);
}
