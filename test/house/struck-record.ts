import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import { AuditRecorder } from '@/server/audit-recorder';
import type { Clock } from '@/server/platform';
import type { Store } from '@/server/store';
import { openPendingEntries } from '@/server/store';
import { silentLog } from '../support/silent-log';
import type { StruckLine } from '../support/struck-line';

/** Acts that are on record once they were answered. */
const DELETED: readonly string[] = ['garbage.deleted', 'tracker.deleted'];
const IDENTITIES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** The record of engines whose line may be struck: the server's own recording, over a store that outlives every process and keeps each id once. */
export class StruckRecord implements Disposable {
  readonly #folder: string;
  readonly #line: () => StruckLine;
  readonly #rows = new Map<string, RecordEntry>();
  #recording: Promise<AuditRecorder> | undefined;

  constructor(folder: string, line: () => StruckLine) {
    this.#folder = folder;
    this.#line = line;
  }

  /** Begins as a process does that takes over: with what waits in the file of the one before. */
  readonly open = (clock: Clock): ((entry: RecordEntry) => Promise<void>) => {
    const former = this.#recording;
    const recording = this.#start(clock, former);
    this.#recording = recording;
    return async (entry) => (await recording).recordAct(entry);
  };

  /**
   * What is on record, in words that identities and times are not in. Single deletions are left out: whose answer was lost is not told from what
   * somebody else deleted, so what is on record of those is the plan, before the first of them.
   */
  tell(): readonly string[] {
    const told = [...this.#rows.values()].filter(({ action }) => !DELETED.includes(action));
    return told
      .map(({ action, about: { kind, name }, message }) =>
        // The cluster gives a decision its name.
        `${action} ${kind} ${kind === KINDS.stageDecision.kind ? '…' : name}: ${message}`.replace(IDENTITIES, '…'),
      )
      .sort();
  }

  [Symbol.dispose](): void {
    void this.#recording?.then((recording) => recording[Symbol.dispose]());
  }

  async #start(clock: Clock, former: Promise<AuditRecorder> | undefined): Promise<AuditRecorder> {
    (await former)?.[Symbol.dispose]();
    const line = this.#line();
    const audit = {
      append: (entry: RecordEntry) =>
        line.store(`append ${entry.action}`, async () => void (this.#rows.has(entry.id) || this.#rows.set(entry.id, entry))),
      readRecent: async () => [],
      troubles: () => [],
    };
    const store = { audit, [Symbol.asyncDispose]: async () => undefined } as unknown as Store; // the recording asks no more of it
    const opening = { now: async () => store, whenOpen: Promise.resolve(store) };
    return new AuditRecorder({
      opening,
      waiting: await openPendingEntries(this.#folder),
      clock,
      log: silentLog,
      onRecorded: () => undefined,
    });
  }
}
