import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { EngineDeps } from '@/server/framework';
import { ignoreError, isConflictOrGone } from '@/server/kube';
import type { Evaluation } from './evaluate';
import type { Holds } from './holds';

const FIELD_MANAGER = 'slipway.dev/chartsync';

/** Writes what became of decisions; what this process answered counts at once. */
export class Answers {
  readonly #deps: Pick<EngineDeps, 'cluster' | 'clock'> & { readonly holds: Holds };

  constructor(deps: Pick<EngineDeps, 'cluster' | 'clock'> & { readonly holds: Holds }) {
    this.#deps = deps;
  }

  /** Writes the answer; undefined where somebody answered first, or the decision is gone. */
  async write(object: KubeObject, { phase, says }: Evaluation): Promise<KubeObject | undefined> {
    const at = toIso(this.#deps.clock.now()); // with milliseconds: of accepted ones the last counts
    return this.#update(object, { phase, message: formatRelease(says), at });
  }

  /** Says what came of an accepted decision, which has ended then. False where that was said already, or the decision is gone. */
  async end(object: KubeObject, says: ReleaseMessage): Promise<boolean> {
    const now = toIso(this.#deps.clock.now());
    const { phase, at } = { phase: readString(object, 'status', 'phase'), at: readString(object, 'status', 'at') };
    return (await this.#update(object, { phase, at, message: formatRelease(says), finishedAt: now })) !== undefined;
  }

  async #update(object: KubeObject, status: object): Promise<KubeObject | undefined> {
    const options = { subresource: 'status', fieldManager: FIELD_MANAGER } as const;
    const written = await ignoreError(isConflictOrGone, this.#deps.cluster.update({ ...object, status }, options));
    if (written !== undefined) this.#deps.holds.answered(written);
    return written;
  }
}
