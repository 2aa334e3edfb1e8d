import { describe, expect, it } from 'vitest';
import { formatRelease } from '@/lib/words/format-release';
import { HelmOperations } from '@/server/chartsync/describe/helm-operations';
import { findingsOfHelmSlots } from '@/server/chartsync/session/state';
import { ManualClock } from '../../support/manual-clock';

const release = (name: string, namespace = 'pay') => ({ namespace, name });

async function waiting() {
  const clock = new ManualClock();
  const works = new HelmOperations(clock);
  works.begin(release('books'), { command: 'upgrade', purpose: 'change' });
  works.end(release('books'));
  works.begin(release('ledger'), { command: 'upgrade', purpose: 'change' });
  works.say(release('ledger'), 'waiting for Job hook');
  works.begin(release('books'), { command: 'rollback', purpose: 'change', isWaiting: true });
  return { clock, works };
}

describe('work that waits for its turn of Helm', () => {
  it('[issue 12.1] is told apart from what runs, and leaves the log of what ran before it alone', async () => {
    const { clock, works } = await waiting();
    expect(works.of(release('books'))).toMatchObject({ command: 'rollback', isWaiting: true, until: null });
    expect(works.logOf(release('books'))).toMatchObject({ command: 'upgrade', until: clock.now() });
    expect(works.slots()).toMatchObject({ running: [{ release: release('ledger'), command: 'upgrade' }], waiting: 1 });
    works.end(release('ledger'));
    works.start(release('books'));
    expect(works.of(release('books'))).toMatchObject({ isWaiting: false, until: null });
    expect(works.logOf(release('books'))).toMatchObject({ command: 'rollback', until: null, lines: [] });
    expect(works.slots()).toMatchObject({ running: [{ release: release('books'), command: 'rollback' }], waiting: 0 });
  });

  it('[issue 12.1] that is stopped before its turn ends, and wrote nothing', async () => {
    const { clock, works } = await waiting();
    await clock.advance(5000);
    works.end(release('books'));
    expect(works.of(release('books'))).toMatchObject({ isWaiting: false, until: clock.now() });
    expect(works.logOf(release('books'))?.until).toBe(clock.now() - 5000);
    expect(works.slots().waiting).toBe(0);
  });

  it('[issue 12.1] is a finding once every Helm that runs has been running for long', async () => {
    const { clock, works } = await waiting();
    const since = new Date(clock.now()).toISOString();
    expect(findingsOfHelmSlots(works.slots(), clock.now())).toEqual([]);
    await clock.advance(61_000);
    expect(findingsOfHelmSlots(works.slots(), clock.now())).toEqual([
      {
        area: 'programs',
        subject: 'helm',
        sentence: `1 release waits for Helm, which is running for pay/ledger (upgrade since ${since}); stop one of these, or raise --helm-at-once`,
        remedy: null,
      },
    ]);
    works.end(release('books'));
    expect(findingsOfHelmSlots(works.slots(), clock.now())).toEqual([]);
  });

  it('[issue 12.1] says behind whom it waits, and of other namespaces only how many', () => {
    const behind = [{ release: 'pay/ledger', command: 'upgrade', since: '2027-01-15T08:00:00.000Z' }];
    expect(formatRelease({ id: 'state.turn', command: 'upgrade', behind, others: 1 })).toBe(
      'helm upgrade waits for its turn, since Helm is running for pay/ledger (upgrade since 2027-01-15T08:00:00.000Z) and 1 release of another namespace',
    );
    expect(formatRelease({ id: 'state.turn', command: 'upgrade', behind: [], others: 2 })).toBe(
      'helm upgrade waits for its turn, since Helm is running for 2 releases of other namespaces',
    );
  });
});
