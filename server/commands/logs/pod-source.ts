import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { followObject } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';
import { findPod } from '../pod-access/connect-to-pod';

const RECHECK_MS = 2000;

/** A pod whose logs are asked for, and what it belongs to. */
export interface OwnedPod {
  readonly pod: KubeObject;
  readonly revision: string | null;
  readonly component: string | null;
}

/** The pods whose logs are asked for, as they are now. */
export interface PodSource {
  pods(): readonly OwnedPod[];
  /** Hears that they may be others, or otherwise. */
  onChange(listener: () => void): Release;
  /** True when there will never be another pod. */
  isOver?(): boolean;
}

/** One pod, read and watched as the person. */
export class OnePod implements PodSource {
  readonly #listeners = new Set<() => void>();
  #pod: KubeObject | undefined;

  private constructor(pod: KubeObject) {
    this.#pod = pod;
  }

  /** Reads the pod; throws not-found where there is none. With a signal it is followed until that aborts. */
  static async open(
    cluster: Cluster,
    at: { readonly ns: string; readonly pod: string },
    follow?: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    const source = new OnePod(await findPod(cluster, at));
    if (follow !== undefined) void source.#follow(cluster, at, follow);
    return source;
  }

  pods(): readonly OwnedPod[] {
    return this.#pod === undefined ? [] : [{ pod: this.#pod, revision: null, component: null }];
  }

  isOver(): boolean {
    return this.#pod === undefined;
  }

  onChange(listener: () => void): Release {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Who may not watch pods, or whose watch ends, looks every two seconds. */
  async #follow(
    cluster: Cluster,
    at: { readonly ns: string; readonly pod: string },
    { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  ) {
    const { ns: namespace, pod: name } = at;
    const gone = new AbortController();
    const found = (pod: KubeObject | undefined) => {
      this.#take(pod);
      if (this.#pod === undefined) gone.abort();
    };
    const ending = AbortSignal.any([signal, gone.signal]);
    while (!ending.aborted) {
      // Whether the right is missing or the watch broke: the pod is read again.
      await followObject(cluster, { ...KINDS.pod, namespace, name }, { found, signal: ending }).catch(() => undefined);
      await clock.sleep(RECHECK_MS, ending).catch(() => undefined); // an abort ends the loop
    }
  }

  #take(pod: KubeObject | undefined): void {
    const before = this.#pod?.metadata;
    // Another pod of the same name is another pod: its log is not the one that was asked for.
    this.#pod = pod !== undefined && pod.metadata.uid === before?.uid ? pod : undefined;
    if (before?.resourceVersion !== this.#pod?.metadata.resourceVersion) for (const listener of this.#listeners) listener();
  }
}
