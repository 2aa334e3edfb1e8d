import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { StoredRevision } from '@/server/chartsync/model/release';
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

it('[issue 12.4] an act is on record ten seconds later at most, however long git looks for the commit of its chart, and without it then', async () => {
  const clock = new ManualClock();
  const recorded: unknown[] = [];
  const written: unknown[] = [];
  const notes = new ReconcileRecorder({
    journal: { note: () => false },
    helm: { readNewest: async () => ({ revision: 7, chart: { metadata: { name: 'ledger' } } }) as unknown as StoredRevision },
    resources: { writeStatus: async (_at, changes) => void written.push(changes) },
    identities: { accountOf: () => undefined },
    behind: () => undefined,
    commitOf: (_resource, _revision, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    signal: new AbortController().signal,
    record: async ({ action, data }) => void recorded.push([action, data]),
    ids: systemIds,
    clock,
    log: silentLog,
  });
  notes.take(told);
  await clock.advance(9000);
  expect(recorded).toEqual([]);
  await clock.advance(1000);
  await notes[Symbol.asyncDispose]();
  expect(recorded).toEqual([['release.upgraded', expect.objectContaining({ storedRevision: 7, commit: null, decision: null })]]);
  expect(written).toMatchObject([{ lastAct: { storedRevision: 7, commit: null } }]);
});
