import { expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { Cancelled } from '@/server/chartsync/decisions/cancellations';
import { Interrupted } from '@/server/chartsync/process/interrupted';
import type { Run } from '@/server/chartsync/sync/run-release';
import { runRelease } from '@/server/chartsync/sync/run-release';
import { StatusDraft } from '@/server/chartsync/sync/status/status-draft';
import type { ExtendedDeps, Sync } from '@/server/chartsync/sync/sync';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

it('[X-RB-1] an upgrade that failed, and whose history cannot be read then, is told as not rolled back', async () => {
  const asked: string[] = [];
  let reads = 0;
  const helm = {
    async readHistory() {
      if (++reads > 1) throw new Error('the storage of Helm does not answer');
      return [{ revision: 1, status: 'deployed' }];
    },
    async upgrade() {
      throw new Error('a hook failed');
    },
    async rollback() {
      asked.push('rollback');
    },
  };
  const draft = new StatusDraft({}, new ManualClock());
  // No more of any of them is asked for on this way.
  const sync = { draft, flush: async () => undefined, resource: { spec: { rollback: { enable: true } } } } as unknown as Sync;
  const run = {
    action: 'upgrade',
    request: { release: { namespace: 'pay', name: 'ledger' }, chart: { revision: '1.0.0' } },
  } as unknown as Run;
  const deps = { helm, log: silentLog } as unknown as ExtendedDeps;
  await expect(runRelease(sync, run, deps)).rejects.toThrow('a hook failed');
  expect([draft.text('phase'), asked]).toEqual(['RollbackFailed', []]);
});

it.each([
  ['failed', new AppError('rejected', 'pod ledger-test failed'), ['uninstall']],
  ['was cancelled by a person', Cancelled.by('ada'), []],
  ['was ended for its memory', new AppError('too-large', 'helm test: it took more than 1024 MiB of memory and was stopped'), []],
])('[X-TEST-1] what was installed goes again where its test failed, and only then: one that %s', async (_how, error, expected) => {
  const asked: string[] = [];
  const helm = {
    readHistory: async () => [],
    install: async () => undefined,
    test: () => Promise.reject(error),
    uninstall: async () => void asked.push('uninstall'),
  };
  const draft = new StatusDraft({}, new ManualClock());
  const spec = { rollback: { enable: false }, test: { enable: true, ignoreFailures: false } };
  // No more of any of them is asked for on this way.
  const sync = { draft, flush: async () => undefined, resource: { spec, generation: 1 } } as unknown as Sync;
  const request = { release: { namespace: 'pay', name: 'ledger' }, chart: { revision: '1.0.0' } };
  const run = { action: 'install', over: 'nothing', request } as unknown as Run;
  const deps = { helm, log: silentLog } as unknown as ExtendedDeps;
  const says = expected.length === 0 ? error.message : `the test failed: ${error.message}`;
  await expect(runRelease(sync, run, deps)).rejects.toThrow(says);
  expect([draft.text('phase'), asked]).toEqual(['TestFailed', expected]);
});

it.each([
  ['X-RB-1', 'an upgrade', { upgrade: () => Promise.reject(new Error('a hook failed')) }, 'a hook failed'],
  [
    'X-TEST-1',
    'the test of one',
    { test: () => Promise.reject(new Error('pod ledger-test failed')) },
    'the test failed: pod ledger-test failed',
  ],
])(
  '[%s] tells by this rule that it was rolled back where %s failed, and what failed, and before Helm begins what is attempted',
  async (rule, _what, fails, says) => {
    let reads = 0;
    const helm = {
      readHistory: async () =>
        [
          { revision: 1, status: 'deployed' },
          { revision: 2, status: 'failed' },
        ].slice(0, ++reads),
      upgrade: async () => undefined,
      rollback: async () => undefined,
      ...fails,
    };
    const back: unknown[] = [];
    const draft = new StatusDraft({}, new ManualClock());
    const spec = { rollback: { enable: true }, test: { enable: true, ignoreFailures: false } };
    // No more of any of them is asked for on this way.
    const written: unknown[] = [];
    const flush = () => draft.write(async (changes) => void written.push(changes));
    const resource = { spec, generation: 4 };
    const sync = { draft, flush, resource, remediated: (to: unknown) => back.push(to) } as unknown as Sync;
    const request = { release: { namespace: 'pay', name: 'ledger' }, chart: { revision: '1.0.0' } };
    const run = { action: 'upgrade', request } as unknown as Run;
    const deps = { helm, log: silentLog, objects: { mark: async () => undefined } } as unknown as ExtendedDeps;
    await expect(runRelease(sync, run, deps)).rejects.toThrow(new RegExp(`^${says}$`));
    expect(written[0]).toMatchObject({ phase: 'Upgrading', lastAttempt: { generation: 4, after: 1 } });
    await flush();
    expect(written.at(-1)).toMatchObject({ lastAttempt: { generation: 4, after: null } });
    expect(back).toEqual([{ revision: undefined, rule }]);
  },
);

it.each([
  ['the upgrade', 'Upgrading', { upgrade: 'upgrade' }],
  ['its test', 'Testing', { test: 'test' }],
  ['the way back', 'RollingBack', { test: 'own', rollback: 'rollback' }],
])(
  '[X-RB-1] where %s is ended with its server nothing is put right, and what was begun is left as it stands',
  async (_what, phase, fails) => {
    const asked: string[] = [];
    let reads = 0;
    const act = (name: 'upgrade' | 'test' | 'rollback') => async () => {
      asked.push(name);
      const end = (fails as Partial<Record<string, string>>)[name];
      if (end === 'own') throw new Error('pod ledger-test failed');
      if (end !== undefined) throw new Interrupted('the server stops');
    };
    const history = [1, 2].map((revision) => ({ revision, status: 'deployed' }));
    const helm = {
      readHistory: async () => history.slice(0, ++reads),
      upgrade: act('upgrade'),
      test: act('test'),
      rollback: act('rollback'),
    };
    const draft = new StatusDraft({}, new ManualClock());
    const spec = { rollback: { enable: true }, test: { enable: true, ignoreFailures: false } };
    // No more of any of them is asked for on this way.
    const sync = { draft, flush: async () => undefined, resource: { spec, generation: 4 } } as unknown as Sync;
    const run = { action: 'upgrade', request: { release: {}, chart: { revision: '1.0.0' } } } as unknown as Run;
    await expect(runRelease(sync, run, { helm, log: silentLog } as unknown as ExtendedDeps)).rejects.toThrow(Interrupted);
    const written: unknown[] = [];
    await draft.write(async (changes) => void written.push(changes));
    expect(written[0]).toMatchObject({ phase, lastAttempt: { generation: 4, after: 1 } });
    expect(asked.at(-1)).toBe(Object.keys(fails).at(-1));
  },
);
