import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import type { ReleaseRef } from '../model/release';
import { releaseKey } from '../model/release';
import type { RevisionSource } from '../model/revision-source';

/** What Helm does to a release in this process, or did last. */
export interface HelmOperation {
  /** Which of Helm's commands, with the flag by which it is a dry run. */
  readonly command: string;
  readonly purpose: Purpose;
  readonly since: Instant;
  /** Whether it waits for its turn: so many Helms run at once. */
  readonly isWaiting: boolean;
  /** When it ended; null while it waits or runs. */
  readonly until: Instant | null;
  /** The signal that ended it; null where none did, or this process did not see it end. */
  readonly killedBy: string | null;
  /** Whether an earlier process of the server began it. */
  readonly isInherited: boolean;
  /** What it releases, where an earlier process of the server left word of that. */
  readonly madeFrom?: RevisionSource | undefined;
  /** The last line that it wrote, values masked. */
  readonly line: string | null;
}

/** Whether an earlier process of the server began it, and it has not ended. */
export function isOrphanedOperation(work: HelmOperation | undefined): boolean {
  return work?.isInherited === true && work.until === null;
}

/** When one began that an earlier process of the server began and that has not ended; undefined of any other. */
export function inheritedSince(work: HelmOperation | undefined): Instant | undefined {
  return isOrphanedOperation(work) ? work?.since : undefined;
}

/** A line that Helm wrote, values masked. */
export interface HelmLine {
  /** When it was written first. */
  readonly at: Instant;
  readonly text: string;
  /** How often in a row. */
  readonly times: number;
}

/** What Helm wrote while it changed a release, or while it changes it. */
export interface HelmLog extends Pick<HelmOperation, 'command' | 'since' | 'until'> {
  /** The newest lines, oldest first. */
  readonly lines: readonly HelmLine[];
  /** How many lines came before them. */
  readonly earlier: number;
}

/** A Helm that runs, and for which release. */
export interface RunningHelm extends Pick<HelmOperation, 'command' | 'since'> {
  readonly release: ReleaseRef;
}

/** Whether it changes the release, or is a dry run. */
export type Purpose = 'change' | 'dry-run';

interface Begun {
  readonly command: string;
  readonly purpose: Purpose;
  readonly since?: Instant | undefined;
  readonly isInherited?: boolean;
  readonly madeFrom?: RevisionSource | undefined;
  /** True for one that waits for its turn, until it is told to `start`. */
  readonly isWaiting?: boolean;
}

/** More releases than are worked on in a day; what is older is forgotten. */
const MOST = 2000;
const MAX_LOGS = 200;
const MAX_LINES = 200;
const MAX_CHARACTERS = 500;

/** The work of Helm in this process, by release: whether there is some tells whether a pending release is stuck. */
export class HelmOperations {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #changes = new Map<string, HelmOperation>();
  readonly #dryRunsByRelease = new Map<string, HelmOperation>();
  readonly #logs = new Map<string, HelmLog>();
  /** What each did before, should what it does now come to nothing. */
  readonly #before = new Map<string, { readonly act: HelmOperation | undefined; readonly log: HelmLog | undefined }>();
  /** Each that runs, by release. */
  readonly #running = new Map<string, RunningHelm>();
  readonly #waiting = new Set<string>();
  #dryRuns = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Takes down that Helm begins, or began when an earlier server started it. What it writes in a dry run takes no log's place. */
  begin(
    release: ReleaseRef,
    { command, purpose, since = this.#clock.now(), isInherited = false, isWaiting = false, madeFrom }: Begun,
  ): void {
    const key = releaseKey(release);
    if (purpose === 'dry-run') this.#dryRuns++;
    else putNewest(this.#before, key, { act: this.#changes.get(key), log: this.#logs.get(key) }, MAX_LOGS);
    const work = { command, purpose, since, isWaiting, until: null, killedBy: null, isInherited, madeFrom, line: null };
    putNewest(purpose === 'dry-run' ? this.#dryRunsByRelease : this.#changes, key, work, MOST);
    if (isWaiting) this.#waiting.add(key);
    else this.#run(release, { command, purpose, since });
  }

  /** Takes down that a Helm that waited has its turn. */
  start(release: ReleaseRef): void {
    const work = this.of(release);
    if (work === undefined || !this.#waiting.delete(releaseKey(release))) return;
    const since = this.#clock.now();
    this.#change(release, { since, isWaiting: false });
    this.#run(release, { ...work, since });
  }

  /** Takes down what Helm says, values masked. */
  say(release: ReleaseRef, text: string, at: Instant = this.#clock.now()): void {
    const line = text.slice(0, MAX_CHARACTERS);
    this.#change(release, { line }, (log) => withLine(log, line, at));
  }

  /** Takes down that a signal ended Helm, whoever sent it. */
  kill(release: ReleaseRef, killedBy: string): void {
    this.#change(release, { killedBy });
  }

  /** Takes down that Helm has ended. */
  end(release: ReleaseRef, until: Instant = this.#clock.now()): void {
    this.#running.delete(releaseKey(release));
    // One that never had its turn wrote no log.
    if (this.#waiting.delete(releaseKey(release))) this.#change(release, { until, isWaiting: false });
    else this.#change(release, { until }, (log) => ({ ...log, until }));
  }

  /** Takes down that a Helm that has ended was refused before it stored anything: what was done before stays what was done last. */
  refuse(release: ReleaseRef): void {
    const key = releaseKey(release);
    const { act, log } = this.#before.get(key) ?? {};
    if (act === undefined) return; // nothing else tells why there is no release
    this.#changes.set(key, act);
    if (log !== undefined) this.#logs.set(key, log);
  }

  /** The Helms of this process that run, in the order in which they began, and how many wait for a turn. */
  slots(): { readonly running: readonly RunningHelm[]; readonly waiting: number } {
    return { running: [...this.#running.values()], waiting: this.#waiting.size };
  }

  /** How many dry runs the loops of this process began. */
  get dryRuns(): number {
    return this.#dryRuns;
  }

  /** What Helm does, or else what it did last, dry runs only where it changed nothing yet; undefined where this process never ran it for the release. */
  of(release: ReleaseRef): HelmOperation | undefined {
    const [act, dryRun] = [this.#changes.get(releaseKey(release)), this.#dryRunsByRelease.get(releaseKey(release))];
    return dryRun?.until === null || act === undefined ? dryRun : act;
  }

  /** What it wrote when it changed the release last; undefined where this process never did, or so many others since that it is forgotten. */
  logOf(release: ReleaseRef): HelmLog | undefined {
    return this.#logs.get(releaseKey(release));
  }

  #run(release: ReleaseRef, { command, purpose, since }: Pick<HelmOperation, 'command' | 'purpose' | 'since'>): void {
    const key = releaseKey(release);
    this.#running.set(key, { release, command, since });
    if (purpose === 'change') putNewest(this.#logs, key, { command, since, until: null, lines: [], earlier: 0 }, MAX_LOGS);
  }

  #change(release: ReleaseRef, more: Partial<HelmOperation>, toLog: (log: HelmLog) => HelmLog = (log) => log): void {
    const key = releaseKey(release);
    // One release is worked on by one Helm at a time.
    const isDryRun = this.#dryRunsByRelease.get(key)?.until === null;
    const works = isDryRun ? this.#dryRunsByRelease : this.#changes;
    const [work, log] = [works.get(key), this.#logs.get(key)];
    if (work === undefined) return;
    works.set(key, { ...work, ...more });
    if (!isDryRun && log !== undefined) this.#logs.set(key, toLog(log));
  }
}

function putNewest<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}

/** Helm says every second that it still waits for the same. */
function withLine(log: HelmLog, text: string, at: Instant): HelmLog {
  const last = log.lines.at(-1);
  if (last?.text === text) return { ...log, lines: [...log.lines.slice(0, -1), { ...last, times: last.times + 1 }] };
  const lines = [...log.lines, { at, text, times: 1 }];
  const left = Math.max(0, lines.length - MAX_LINES);
  return { ...log, lines: lines.slice(left), earlier: log.earlier + left };
}
