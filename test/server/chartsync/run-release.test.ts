import { expect, it } from 'vitest';
import type { Run } from '@/server/chartsync/sync/run-release';
import { runRelease } from '@/server/chartsync/sync/run-release';
import { StatusDraft } from '@/server/chartsync/sync/status-draft';
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
