import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { ReleaseRef } from '../model/release';
import { releaseKey } from '../model/release';

/** What Helm does to a release in this process, or did last. */
export interface HelmWork {
  /** Which of Helm's commands. */
  readonly command: string;
  readonly since: Instant;
  /** When it ended; null while it runs. */
  readonly until: Instant | null;
  /** The last line that it wrote, values masked. */
  readonly line: string | null;
}

/** More releases than are worked on in a day; what is older is forgotten. */
const MOST = 2000;

/** The work of Helm in this process, by release: whether there is some tells whether a pending release is stuck. */
export class HelmWorks {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #works = new Map<string, HelmWork>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Takes down that Helm begins. */
  begin(release: ReleaseRef, command: string): void {
    const key = releaseKey(release);
    this.#works.delete(key);
    this.#works.set(key, { command, since: this.#clock.now(), until: null, line: null });
    if (this.#works.size > MOST) this.#works.delete(this.#works.keys().next().value ?? '');
  }

  /** Takes down what Helm says. */
  say(release: ReleaseRef, line: string): void {
    this.#change(release, { line });
  }

  /** Takes down that Helm has ended. */
  end(release: ReleaseRef): void {
    this.#change(release, { until: this.#clock.now() });
  }

  /** What Helm does or did last; undefined where this process never ran it for the release. */
  of(release: ReleaseRef): HelmWork | undefined {
    return this.#works.get(releaseKey(release));
  }

  #change(release: ReleaseRef, more: Partial<HelmWork>): void {
    const work = this.of(release);
    if (work !== undefined) this.#works.set(releaseKey(release), { ...work, ...more });
  }
}
