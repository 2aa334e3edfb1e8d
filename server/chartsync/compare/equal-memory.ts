import { createHash } from 'node:crypto';
import { toStableJson } from '@/lib/std/stable-json';
import type { StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { HelmPort, ReleaseRequest } from '../ports';
import { digestValues } from './values-digest';

/**
 * Remembers of each release what was compared when it was last found equal. While nothing of that moved a dry run would say the same again, but for
 * what a chart looks up in the cluster or makes up anew each time, neither of which is compared.
 */
export class EqualMemory {
  readonly #helm: Pick<HelmPort, 'fingerprint'>;
  readonly #isOn: boolean;
  readonly #equal = new Map<string, string>();

  constructor({ helm, isOn }: { readonly helm: Pick<HelmPort, 'fingerprint'>; readonly isOn: boolean }) {
    this.#helm = helm;
    this.#isOn = isOn;
  }

  /** True when the release was found equal, and nothing of what was compared has moved since. */
  async holds(request: ReleaseRequest, stored: StoredRevision): Promise<boolean> {
    return this.#isOn && this.#equal.get(releaseKey(request.release)) === (await this.#keyOf(request, stored));
  }

  /** Takes down what was found equal, or that it was not. */
  async note(request: ReleaseRequest, stored: StoredRevision, isEqual: boolean): Promise<void> {
    if (!this.#isOn) return;
    if (isEqual) this.#equal.set(releaseKey(request.release), await this.#keyOf(request, stored));
    else this.#equal.delete(releaseKey(request.release));
  }

  async #keyOf(request: ReleaseRequest, stored: StoredRevision): Promise<string> {
    // Written as text a large release keeps everybody waiting: what read it took its digest elsewhere.
    const digest = stored.digest ?? createHash('sha256').update(toStableJson(stored)).digest('hex');
    return toStableJson([await this.#helm.fingerprint(request), digestValues(request.values), stored.revision, digest]);
  }
}
