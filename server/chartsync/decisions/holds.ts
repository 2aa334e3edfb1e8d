import { AppError } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress, toObjectKey } from '@/lib/kube/object';
import type { Store } from '@/server/kube';
import type { Hold } from './hold';
import { decisionsAbout, holdOf, unreadableHold } from './hold';

/**
 * What holds releases, as the loops ask it. What this process answered counts at once, before its copy of the cluster shows it: else a loop
 * would take back in the next moment what a person just went back to.
 */
export class Holds {
  readonly #store: Store;
  readonly #answered = new Map<string, KubeObject>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Takes down what was just answered, and forgets what was answered of decisions that are gone. */
  answered(decision: KubeObject): void {
    for (const [uid, { metadata }] of this.#answered)
      if (this.#store.get(toObjectKey(metadata))?.metadata.uid !== uid) this.#answered.delete(uid);
    this.#answered.set(decision.metadata.uid ?? '', decision);
  }

  /** What holds the release of a resource; throws while nobody can tell. */
  of(uid: string): Hold | undefined {
    const { state, synced } = this.#store.health();
    if (state.kind === 'retrying' && state.isMissing) return undefined; // the cluster serves no such decisions
    if (!synced || state.kind !== 'watching') throw new AppError('unavailable', `ReleaseDecisions are not watched now: ${state.kind}`);
    const about = this.about(uid);
    const unreadable = unreadableHold(about);
    if (unreadable === undefined) return holdOf(about);
    throw new AppError(
      'unavailable',
      `it is unknown whether this release is held: ${describeObject(toAddress(unreadable))} cannot be read; run kubectl apply -f deploy/crds/releasedecisions.yaml, or delete it where it no longer holds`,
    );
  }

  /** The decisions about a resource, as this process knows them. */
  about(uid: string): readonly KubeObject[] {
    return decisionsAbout(this.#store, uid).map((decision) => this.#newer(decision));
  }

  #newer(decision: KubeObject): KubeObject {
    const uid = decision.metadata.uid ?? '';
    if ((readString(decision, 'status', 'phase') ?? 'Pending') !== 'Pending') this.#answered.delete(uid);
    return this.#answered.get(uid) ?? decision;
  }
}
