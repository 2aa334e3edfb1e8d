import { createHash } from 'node:crypto';
import { toStableJson } from '@/lib/std/stable-json';
import type { Clock } from '@/server/platform';
import { FailureCache } from '@/server/platform';
import type { DryRunResult, StoredRevision } from '../model/release';
import { releaseKey } from '../model/release';
import type { HelmPort, ReleaseRequest, Trigger } from '../ports';
import { digestValues } from './values-digest';

/** Another one wherever two releases would be compared otherwise than before: what an earlier server kept counts no more. */
const FORMAT = 1;

/** What a failed dry run waits for at most. */
const MOST_PASSES = 5;

/** Where digests are kept, by release. */
interface KeptDigests {
  get(release: string): Promise<string | undefined>;
  set(release: string, digest: string | undefined): Promise<void>;
}

interface EqualMemoryDeps {
  readonly helm: Pick<HelmPort, 'fingerprint' | 'dryRun'>;
  readonly isOn: boolean;
  /** How often the schedule looks at a release. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, 'now'>;
  /** As long as the process lives where none is given. */
  readonly kept?: KeptDigests | undefined;
}

/**
 * Remembers of each release what was compared when it was last found equal. While nothing of that moved a dry run would say the same again, but for
 * what a chart looks up in the cluster or makes up anew each time, neither of which is compared.
 */
export class ComparisonCache {
  readonly #helm: EqualMemoryDeps['helm'];
  readonly #isOn: boolean;
  readonly #failed: FailureCache;
  readonly #equal: KeptDigests;

  constructor({ helm, isOn, intervalMs, clock, kept = new Digests() }: EqualMemoryDeps) {
    this.#helm = helm;
    this.#isOn = isOn;
    const pace = { firstMs: intervalMs / 2, longestMs: intervalMs * MOST_PASSES };
    this.#failed = new FailureCache(clock, () => pace);
    this.#equal = kept;
  }

  /** True when the release was found equal, and nothing of what was compared has moved since. */
  async holds(request: ReleaseRequest, stored: StoredRevision): Promise<boolean> {
    return this.#isOn && (await this.#equal.get(releaseKey(request.release))) === (await this.#keyOf(request, stored));
  }

  /**
   * What a dry run says. One that has failed is run again by the next pass, and then after more and more of them while nothing of it moves: until then a pass
   * is told what it failed with. Whatever else asks has it run.
   */
  async dryRun(request: ReleaseRequest, stored: StoredRevision, by: Trigger): Promise<DryRunResult> {
    if (!this.#isOn || by !== 'schedule') return this.#helm.dryRun(request);
    const key = `${releaseKey(request.release)} ${await this.#keyOf(request, stored)}`;
    return this.#failed.run(key, () => this.#helm.dryRun(request));
  }

  /** Takes down what was found equal, or that it was not. */
  async note(request: ReleaseRequest, stored: StoredRevision, isEqual: boolean): Promise<void> {
    if (!this.#isOn) return;
    await this.#equal.set(releaseKey(request.release), isEqual ? await this.#keyOf(request, stored) : undefined);
  }

  async #keyOf(request: ReleaseRequest, stored: StoredRevision): Promise<string> {
    // Written as text a large release keeps everybody waiting: what read it took its digest elsewhere.
    const digest = stored.digest ?? createHash('sha256').update(toStableJson(stored)).digest('hex');
    const key = toStableJson([FORMAT, await this.#helm.fingerprint(request), digestValues(request.values), stored.revision, digest]);
    return createHash('sha256').update(key).digest('hex');
  }
}

class Digests implements KeptDigests {
  readonly #digests = new Map<string, string>();

  async get(release: string): Promise<string | undefined> {
    return this.#digests.get(release);
  }

  async set(release: string, digest: string | undefined): Promise<void> {
    if (digest === undefined) this.#digests.delete(release);
    else this.#digests.set(release, digest);
  }
}
