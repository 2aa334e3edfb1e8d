import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { ReconcileHistory } from '@/server/chartsync/describe/reconcile-history';
import type { SyncReport } from '@/server/chartsync/ports';
import { ManualClock } from '../../support/manual-clock';

describe('what the loops of this process did', () => {
  it('[issue 12.1] is counted: dry runs that were made and those that were spared, acts and failures', () => {
    const journal = new ReconcileHistory(new ManualClock());
    const release = { namespace: 'pay', name: 'web' };
    const note = (...outcomes: readonly SyncReport['outcome'][]) => {
      for (const outcome of outcomes)
        journal.note({
          resource: { at: { ...KINDS.helmRelease, ...release } },
          by: 'schedule',
          revision: undefined,
          outcome,
        } as unknown as SyncReport); // no more of it is read
    };
    journal.works.begin(release, { command: 'upgrade', purpose: 'look' });
    journal.works.begin(release, { command: 'upgrade', purpose: 'act' });
    note('equal', 'unmoved', 'unmoved', 'upgraded', 'uninstalled', 'failed', 'held');
    expect(journal.figures()).toEqual({ dryRuns: 1, spared: 2, acts: 2, failures: 1, mirrors: [] });
  });
});
