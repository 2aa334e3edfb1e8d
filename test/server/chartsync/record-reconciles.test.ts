import { expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { readField, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { Cancellations, Cancelled } from '@/server/chartsync/decisions/cancellations';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { StoredRevision } from '@/server/chartsync/model/release';
import type { SyncReport } from '@/server/chartsync/ports';
import { ReconcileRecorder } from '@/server/chartsync/session/record-reconciles';
import { systemIds } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';

const resource = readDeclared({
  ...KINDS.helmRelease,
  metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
  spec: { chart: { git: 'https://git.example/charts', ref: 'main', path: 'ledger' } },
});
const told = { resource, by: 'commit', outcome: 'upgraded', revision: 'a'.repeat(40), at: 0 } as unknown as Parameters<
  ReconcileRecorder['take']
>[0];

type RecorderDeps = ConstructorParameters<typeof ReconcileRecorder>[0];

/** A recorder of a session that stored nothing and knows no commit, but for what is given. */
function recorderOf(given: Partial<RecorderDeps> & Pick<RecorderDeps, 'resources' | 'record' | 'clock'>): ReconcileRecorder {
  return new ReconcileRecorder({
    journal: { note: () => false },
    helm: { readNewest: async () => undefined },
    identities: { accountOf: () => undefined },
    behind: () => undefined,
    commitOf: async () => undefined,
    signal: new AbortController().signal,
    ids: systemIds,
    log: silentLog,
    ...given,
  });
}

it('[issue 12.4] an act is on record ten seconds later at most, however long git looks for the commit of its chart, and without it then', async () => {
  const clock = new ManualClock();
  const recorded: unknown[] = [];
  const written: unknown[] = [];
  const notes = recorderOf({
    helm: { readNewest: async () => ({ revision: 7, chart: { metadata: { name: 'ledger' } } }) as unknown as StoredRevision },
    resources: { writeStatus: async (_at, changes) => void written.push(changes) },
    commitOf: (_resource, _revision, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    record: async ({ action, data }) => void recorded.push([action, data]),
    clock,
  });
  notes.take(told);
  await clock.advance(9000);
  expect(recorded).toEqual([]);
  await clock.advance(1000);
  await notes[Symbol.asyncDispose]();
  expect(recorded).toEqual([['release.upgraded', expect.objectContaining({ storedRevision: 7, commit: null, decision: null })]]);
  expect(written).toMatchObject([{ lastAct: { storedRevision: 7, commit: null } }]);
});

/** Of a chart whose content nobody can tell. */
const UNREADABLE = 'f'.repeat(40);

interface Circumstances {
  /** What the definition of the kind keeps of what is written. */
  readonly keeps: (written: Fields) => Fields;
  readonly record: (entry: unknown) => Promise<void>;
  /** The newest revision that Helm stores. */
  readonly newest: number | undefined;
}

/** Tells looks at a resource in sessions that know of each other by its status alone, and answers that status. */
async function tellInSessions(
  sessions: readonly (readonly Partial<SyncReport>[])[],
  { keeps = (written: Fields) => written, record = async () => undefined, newest }: Partial<Circumstances> = {},
): Promise<Fields> {
  const clock = new ManualClock();
  let status: Fields = {};
  const declared = () =>
    readDeclared({
      ...KINDS.helmRelease,
      metadata: { namespace: 'pay', name: 'ledger', uid: 'u', generation: 2 },
      spec: { chart: { git: 'https://git.example/charts', ref: 'main', path: 'ledger' } },
      status,
    });
  for (const looks of sessions) {
    const cancels = new Cancellations({
      factsOf: async ({ chart: { revision } }) => {
        if (revision === UNREADABLE) throw new Error('it cannot be read');
        return { tree: `tree of ${revision}`, version: 'v4.3.1' };
      },
    });
    for (const look of looks) {
      const notes = recorderOf({
        helm: {
          readNewest: async () =>
            newest === undefined ? undefined : ({ revision: newest, chart: { metadata: {} } } as unknown as StoredRevision),
        },
        resources: {
          writeStatus: async (_at, changes) => {
            status = Object.fromEntries(Object.entries({ ...status, ...keeps(changes) }).filter(([, value]) => value !== null));
          },
        },
        record,
        clock,
      });
      const chart = { folder: '/export', path: 'ledger', revision: look.revision ?? '' };
      const attempt = { by: look.by ?? 'decision', chart, isGated: false };
      if (look.isCancelled) await cancels.requireNotCancelled(declared(), attempt).catch(() => undefined); // it is repeated then
      cancels.hearing(notes.take)({ resource: declared(), by: 'schedule', outcome: 'failed', revision: undefined, ...look });
      await notes[Symbol.asyncDispose]();
    }
  }
  return status;
}

const CANCELLED = { revision: 'a'.repeat(40), error: Cancelled.by('ada').message, isCancelled: true };
const NOTE = { revision: CANCELLED.revision, chart: `tree of ${CANCELLED.revision}`, generation: 2, message: CANCELLED.error };

it.each<[string, readonly Partial<SyncReport>[]]>([
  ['a repository that cannot be fetched by the process that comes next', [{ error: 'chart not ready' }]],
  ['a gate that cannot be read, of which the look tells what was attempted last', [{ revision: 'b'.repeat(40), error: 'unavailable' }]],
  ['a look that waits', [{ outcome: 'waits' }]],
  ['both', [{ error: 'chart not ready' }, { outcome: 'gated' }]],
])('[issue 12.1] the status keeps what was cancelled over %s', async (_what, looks) => {
  expect(await tellInSessions([[CANCELLED], looks])).toMatchObject({ cancelled: NOTE });
});

it('[issue 12.1] the status keeps why a cancelled release failed over looks that attempt nothing, and neither once it is as it should be', async () => {
  expect(await tellInSessions([[CANCELLED], [{ outcome: 'gated' }]])).toMatchObject({
    failure: { message: CANCELLED.error },
    cancelled: NOTE,
  });
  expect(await tellInSessions([[{ error: 'chart not ready' }], [{ outcome: 'gated' }]])).toEqual({});
  expect(await tellInSessions([[CANCELLED], [{ outcome: 'equal' }]])).toEqual({});
});

it('[issue 12.4] that Helm went back after a failure is an act on record of its own, and takes nothing away of what failed or was cancelled', async () => {
  const recorded: unknown[] = [];
  const record = async (entry: unknown) => void recorded.push(entry);
  const back = { outcome: 'remediated', revision: 'b'.repeat(40), error: CANCELLED.error, by: 'commit' } as const;
  expect(await tellInSessions([[CANCELLED, back]], { record })).toMatchObject({
    failure: { revision: CANCELLED.revision },
    cancelled: NOTE,
  });
  expect(recorded).toMatchObject([
    { action: 'release.failed' },
    {
      action: 'release.remediated',
      message: `a new commit: release pay-ledger in pay was rolled back to bbbbbbbb, since the attempt failed: ${CANCELLED.error}`,
    },
  ]);
});

it('[issue 12.1] that Helm went back is on record once, also where it is told by one process and by the next', async () => {
  const ids: unknown[] = [];
  const record = async (entry: unknown) => void ids.push(readField(entry, 'id'));
  const back = { outcome: 'remediated', revision: 'b'.repeat(40), error: 'a hook failed' } as const;
  await tellInSessions([[back], [back]], { record, newest: 3 });
  await tellInSessions([[back]], { record, newest: 5 });
  await tellInSessions([[{ outcome: 'upgraded' }]], { record, newest: 5 });
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe(ids[1]);
});

it('[issue 12.1] the base kind keeps which commit it attempted last, whatever is told after it', async () => {
  const base = {
    resource: readDeclared({
      ...KINDS.fluxHelmRelease,
      metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
      spec: { chartGitPath: 'ledger', values: {} },
    }),
  };
  const attempt = { ...base, outcome: 'failed', isAttempted: true, revision: 'b'.repeat(40), error: 'a hook failed' } as const;
  const refused = { ...base, outcome: 'failed', revision: undefined, error: 'git is out' } as const;
  expect(await tellInSessions([[attempt, refused, { ...base, outcome: 'gated' }]])).toMatchObject({
    lastAttempt: { revision: 'b'.repeat(40) },
  });
  expect(await tellInSessions([[refused]])).not.toHaveProperty('lastAttempt');
});

it('[issue 12.1] a cancel is told once, also where an older definition of the kind drops which chart that was', async () => {
  const recorded: unknown[] = [];
  const keeps = ({ cancelled, ...written }: Fields) => {
    const { chart: _chart, ...kept } = readFields({ cancelled }, 'cancelled');
    return { ...written, ...(cancelled === undefined ? {} : { cancelled: kept }) };
  };
  const repeated = { ...CANCELLED, by: 'schedule' as const };
  const record = async (entry: unknown) => void recorded.push(entry);
  const { cancelled } = await tellInSessions([[CANCELLED, repeated, repeated], [repeated]], { keeps, record });
  expect([recorded.length, cancelled]).toEqual([1, { revision: NOTE.revision, generation: 2, message: NOTE.message }]);
});

it('[issue 12.1] a cancel whose chart nobody could read takes over nothing of the one before', async () => {
  const written: unknown[] = [];
  const keeps = (changes: Fields) => {
    written.push(changes.cancelled);
    return changes;
  };
  await tellInSessions([[CANCELLED, { ...CANCELLED, revision: UNREADABLE }]], { keeps });
  expect(written).toEqual([NOTE, { revision: UNREADABLE, chart: null, generation: 2, message: NOTE.message }]); // merged into what is there
});

it('[issue 12.3] a commit that the branch lost is written once, also while the copy of the status is behind, and again where that failed', async () => {
  const clock = new ManualClock();
  const written: Fields[] = [];
  let isOut = false;
  const notes = recorderOf({
    journal: { note: () => true },
    resources: {
      writeStatus: async (_at, changes) => {
        if (isOut) throw new Error('the API server is out');
        written.push(changes);
      },
    },
    record: async () => undefined,
    clock,
  });
  const look = async (lostCommit: string | undefined) => {
    notes.take({ ...told, by: 'schedule', outcome: 'held', ...(lostCommit === undefined ? {} : { lostCommit }) });
    await clock.advance(1000);
  };
  isOut = true;
  await look('c0ffee');
  isOut = false;
  for (let pass = 0; pass < 3; pass++) await look('c0ffee');
  expect(written).toMatchObject([{ lostCommit: { commit: 'c0ffee' } }]);
  for (let pass = 0; pass < 3; pass++) await look(undefined);
  expect(written.slice(1)).toEqual([{ lostCommit: null }]);
  await notes[Symbol.asyncDispose]();
});

it('[issue 12.3] a commit that the branch lost is written again where a look failed before it was, and where somebody took it out of the status', async () => {
  const clock = new ManualClock();
  const written: Fields[] = [];
  let isTold = false;
  const unreadable = { ...resource, status: { chart: null } };
  const notes = recorderOf({
    journal: { note: () => true },
    helm: {
      readNewest: () => {
        if (!isTold) throw new Error('what is stored cannot be read');
        return Promise.resolve(undefined);
      },
    },
    resources: { writeStatus: async (_at, changes) => void written.push(changes) },
    record: async () => undefined,
    clock,
  });
  const look = async () => {
    notes.take({ ...told, resource: unreadable, by: 'schedule', outcome: 'held', lostCommit: 'c0ffee' });
    await clock.advance(1000);
  };
  await look();
  expect(written).toEqual([]);
  isTold = true;
  await look();
  await look();
  expect(written).toMatchObject([{ lostCommit: { commit: 'c0ffee' } }]);
  await clock.advance(60_000); // its copy says nothing of it still
  await look();
  expect(written).toHaveLength(2);
  await notes[Symbol.asyncDispose]();
});
