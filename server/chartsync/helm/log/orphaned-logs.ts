import type { Clock, Release } from '@/server/platform';
import type { HelmOperations } from '../../describe/helm-operations';
import type { ReleaseRef } from '../../model/release';
import { releaseKey } from '../../model/release';
import { followFile } from '../../process/follow-file';
import { Lines } from '../../process/lines';
import { hiddenOf, VALUES_UNKNOWN } from '../masking/hidden-values';
import { maskerOf } from '../masking/mask-values';
import type { HelmStorage } from '../storage';
import { readLogLine } from './log-line';
import type { StepLog, StepLogs } from './step-logs';

/** How often is asked what Helm has stored, until it tells the values. */
const LOOK_MS = 1000;
/** More lines than a log keeps. */
const MAX_LINES = 1000;
/** Steps that store no revision of their own: they work on what is stored. */
const STORE_NONE: readonly string[] = ['uninstall', 'test'];

interface OrphanedLogsDeps {
  readonly steps: StepLogs;
  readonly storage: Pick<HelmStorage, 'readLatest'>;
  readonly works: HelmOperations;
  readonly clock: Clock;
}

type Mask = (text: string) => string;

/** The logs of steps that a server which was killed left. Which values stand in them only Helm's storage tells, and before it does nothing is told of them. */
export class OrphanedLogs {
  readonly #deps: OrphanedLogsDeps;

  constructor(deps: OrphanedLogsDeps) {
    this.#deps = deps;
  }

  /** The log of a release that was left; undefined where there is none. */
  async of(release: ReleaseRef): Promise<StepLog | undefined> {
    return (await this.#deps.steps.left()).find((log) => releaseKey(log.release) === releaseKey(release));
  }

  /** Tells what Helm writes while it still does. */
  follow(log: StepLog): { readonly end: () => Promise<void> } {
    const { clock, steps } = this.#deps;
    const { release, file, from } = log;
    const held = new HeldLines((line) => this.#deps.works.say(release, line));
    const lines = new Lines((line) => held.take(line));
    const following = followFile({ file, from, clock, onText: (text) => lines.take(text) });
    let forget: Release = () => undefined;
    let asking = Promise.resolve();
    const ask = () => {
      asking = this.#maskOf(log).then((mask) => {
        if (mask === undefined) forget = clock.schedule(LOOK_MS, ask);
        else held.releaseHeld(mask);
      });
    };
    ask();
    return {
      end: async () => {
        await following.end();
        lines.end();
        await asking;
        forget();
        held.releaseHeld((await this.#maskOf(log)) ?? 'unknown');
        await steps.remove(log);
      },
    };
  }

  /** Tells what was written by every Helm that has ended with its server or after it, but for those that still run; its files go. */
  async take(running: ReadonlySet<string>): Promise<void> {
    const { steps, works, clock } = this.#deps;
    for (const log of await steps.left()) {
      const { release, command, since, until, ...file } = log;
      if (running.has(releaseKey(release))) continue;
      works.begin(release, { command, purpose: 'change', since, isInherited: true });
      const held = new HeldLines((line) => works.say(release, line, until));
      const lines = new Lines((line) => held.take(line));
      await followFile({ ...file, clock, onText: (text) => lines.take(text) }).end();
      lines.end();
      held.releaseHeld((await this.#maskOf(log)) ?? 'unknown');
      works.end(release, until);
      await steps.remove(log);
    }
  }

  /** Only the revision that the step itself stored tells its values; what it wrote before that is told once it has. */
  async #maskOf({ release, command, after }: StepLog): Promise<Mask | undefined> {
    const newest = await this.#deps.storage.readLatest(release).catch(() => undefined); // nothing is told before it can be read
    if (newest === undefined || after === null) return undefined;
    return newest.revision > after || STORE_NONE.includes(command) ? maskerOf(hiddenOf(newest)) : undefined;
  }
}

/** Lines that nobody hears before it is known which of them are values. */
class HeldLines {
  readonly #notify: (line: string) => void;
  #held: string[] = [];
  #mask: Mask | undefined;

  constructor(notify: (line: string) => void) {
    this.#notify = notify;
  }

  take(line: string): void {
    if (this.#mask !== undefined) this.#notify(this.#mask(readLogLine(line)));
    else if (this.#held.push(line) > MAX_LINES) this.#held.shift();
  }

  /** Where the values stay unknown it is told only that there were lines. */
  releaseHeld(mask: Mask | 'unknown'): void {
    const held = this.#held;
    this.#held = [];
    if (mask !== 'unknown') {
      this.#mask ??= mask;
      for (const line of held) this.take(line);
    } else if (held.length > 0) this.#notify(VALUES_UNKNOWN);
  }
}
