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
    journal.works.begin(release, { command: 'upgrade', purpose: 'dry-run' });
    journal.works.begin(release, { command: 'upgrade', purpose: 'change' });
    note('equal', 'unmoved', 'unmoved', 'upgraded', 'uninstalled', 'failed', 'held');
    expect(journal.figures()).toEqual({ dryRuns: 1, spared: 2, acts: 2, failures: 1, mirrors: [] });
  });

  it('[X-RETRY-1] is told as one failure and one way back with their times where a release is tried again and again, and apart where another fails', async () => {
    const clock = new ManualClock();
    const journal = new ReconcileHistory(clock);
    const at = { ...KINDS.helmRelease, namespace: 'pay', name: 'web' };
    const note = (outcome: SyncReport['outcome'], error = 'a hook failed') =>
      journal.note({ resource: { at }, by: 'schedule', revision: 'c0ffee', outcome, error } as unknown as SyncReport); // no more of it is read
    const told = () => journal.reconcilesOf(at).map(({ outcome, times, error }) => [outcome, times, error]);
    const begun = clock.now();
    for (let round = 0; round < 30; round++) {
      await clock.advance(60_000);
      expect([note('failed'), note('remediated')]).toEqual([false, false]);
    }
    expect(told()).toEqual([
      ['remediated', 30, 'a hook failed'],
      ['failed', 30, 'a hook failed'],
    ]);
    expect(journal.reconcilesOf(at)[1]).toMatchObject({ since: begun + 60_000, at: clock.now() });
    note('failed');
    expect(told()[0]).toEqual(['failed', 31, 'a hook failed']);
    note('failed', 'a test failed');
    expect(told().slice(0, 2)).toEqual([
      ['failed', 1, 'a test failed'],
      ['failed', 31, 'a hook failed'],
    ]);
  });
});
