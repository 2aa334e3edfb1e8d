import { AppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock, Release } from '@/server/platform';

const LOOK_AGAIN_MS = 2000;

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
  static async open(cluster: Cluster, at: { readonly ns: string; readonly pod: string }, follow?: { readonly clock: Clock; readonly signal: AbortSignal }) {
    const source = new OnePod(await readPod(cluster, at));
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
    while (!signal.aborted && this.#pod !== undefined) {
      try {
        await this.#watch(cluster, at, signal);
        await clock.sleep(LOOK_AGAIN_MS, signal);
        this.#take(await readPod(cluster, at, signal));
      } catch (error) {
        if (isNotFound(error) || (error instanceof AppError && error.code === 'not-found')) this.#take(undefined);
        else await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined); // the end of the stream ends the loop
      }
    }
  }

  async #watch(cluster: Cluster, { ns, pod }: { readonly ns: string; readonly pod: string }, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion = '' } = this.#pod?.metadata ?? {};
    const options = { fieldSelector: `metadata.name=${pod}`, resourceVersion, signal };
    try {
      for await (const { type, object } of cluster.watch({ ...KINDS.pod, namespace: ns }, options)) {
        if (type === 'BOOKMARK') continue;
        const isGone = type === 'DELETED' || object.metadata.uid !== uid;
        this.#take(isGone ? undefined : object);
        if (isGone) return;
      }
    } catch {
      // Whether the right is missing or the watch broke: the pod is read again.
    }
  }

  #take(pod: KubeObject | undefined): void {
    const before = this.#pod?.metadata;
    // Another pod of the same name is another pod: its log is not the one that was asked for.
    this.#pod = pod !== undefined && pod.metadata.uid === before?.uid ? pod : undefined;
    if (before?.resourceVersion !== this.#pod?.metadata.resourceVersion) for (const listener of this.#listeners) listener();
  }
}

async function readPod(cluster: Cluster, { ns, pod }: { readonly ns: string; readonly pod: string }, signal?: AbortSignal): Promise<KubeObject> {
  try {
    return await cluster.get({ ...KINDS.pod, namespace: ns, name: pod }, signal === undefined ? {} : { signal });
  } catch (error) {
    if (isNotFound(error)) throw new AppError('not-found', `there is no pod ${pod} in namespace ${ns}`);
    throw error;
  }
}
