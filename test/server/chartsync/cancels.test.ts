import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { CancelReport } from '@/server/chartsync/decisions/cancelled';
import { Cancelled, Cancels, createCancel } from '@/server/chartsync/decisions/cancelled';
import type { HelmWork } from '@/server/chartsync/describe/helm-works';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { SyncReport, Trigger } from '@/server/chartsync/ports';
import { Harness } from '../../cases/chartsync/harness';
import { NOW, uninstall } from './release-rig';

const COMMIT = 'a'.repeat(40);
const { message } = Cancelled.by('ada');
const OTHER = 'b'.repeat(40);
const NOTE = { revision: COMMIT, generation: 2, message };

const aResource = (generation: number, cancelled?: object) =>
  readDeclared({
    ...KINDS.fluxHelmRelease,
    metadata: { namespace: 'pay', name: 'ledger', uid: 'u', generation },
    spec: { chartGitPath: 'ledger', values: {} },
    ...(cancelled === undefined ? {} : { status: { cancelled } }),
  });

describe('what a person cancelled', () => {
  it.each<[string, Trigger, string, number, boolean]>([
    ['the schedule, of the same', 'schedule', COMMIT, 2, true],
    ['a process that begins', 'resource', COMMIT, 2, true],
    ['a repository that comes back', 'repository', COMMIT, 2, true],
    ['a live object that is changed', 'drift', COMMIT, 2, true],
    ['a decision', 'decision', COMMIT, 2, false],
    ['other values', 'values', COMMIT, 2, false],
    ['a process that begins, by the commit that its mirror has', 'commit', COMMIT, 2, true],
    ['a commit', 'commit', OTHER, 2, false],
    ['the schedule, of another revision', 'schedule', OTHER, 2, false],
    ['the schedule, of another spec', 'schedule', COMMIT, 3, false],
  ])('[issue 12.1] by what its status says: %s', (_title, by, revision, generation, isKept) => {
    const attempt = () => new Cancels().requireNotCancelled(aResource(generation, NOTE), { by, revision });
    // As cancelled anew, so that whoever writes that down loses nothing where its copy of the status is old.
    if (isKept) expect(attempt).toThrow(new Cancelled(message));
    else expect(attempt).not.toThrow();
  });

  it('[issue 12.1] counts from when it is told, before its status says so, until something is done or found as it should be', () => {
    const cancels = new Cancels();
    const heard: SyncReport[] = [];
    const tell = cancels.hearing((told) => void heard.push(told));
    const resource = aResource(2);
    const attempt = () => cancels.requireNotCancelled(resource, { by: 'schedule', revision: COMMIT });
    expect(attempt).not.toThrow();
    tell({ resource, by: 'resource', outcome: 'failed', revision: COMMIT, error: message, isCancelled: true });
    expect(attempt).toThrow(Cancelled);
    tell({ resource, by: 'schedule', outcome: 'failed', revision: COMMIT, error: message });
    expect(attempt).toThrow(message);
    tell({ resource, by: 'schedule', outcome: 'equal', revision: COMMIT });
    expect(attempt).not.toThrow();
    expect(heard).toHaveLength(3);
  });

  it.each(['held', 'gated', 'waits', 'dropped', 'plan-moved'] as const)(
    '[issue 12.1] stays so whatever is looked at meanwhile and attempts nothing: %s',
    (outcome) => {
      const [resource, cancels] = [aResource(2), new Cancels()];
      const heard: CancelReport[] = [];
      const tell = cancels.hearing((told) => void heard.push(told));
      tell({ resource, by: 'resource', outcome: 'failed', revision: COMMIT, error: message, isCancelled: true });
      cancels.requireNotCancelled(resource, { by: 'decision', revision: COMMIT }); // asked for, and then kept from running
      tell({ resource, by: 'decision', outcome, revision: OTHER });
      expect(() => cancels.requireNotCancelled(resource, { by: 'schedule', revision: COMMIT })).toThrow(Cancelled);
      expect(heard.map(({ cancelled }) => cancelled)).toEqual([NOTE, NOTE]);
    },
  );

  it.each<[string, boolean, Trigger, string, boolean]>([
    ['another commit is tried, and fails', true, 'commit', OTHER, true],
    ['somebody has it tried again, and it fails', true, 'decision', COMMIT, true],
    ['something fails before anything is tried', false, 'commit', OTHER, false],
  ])('[issue 12.1] is over, or not, once %s', (_title, isTried, by, revision, isOver) => {
    const [resource, cancels] = [aResource(2, NOTE), new Cancels()];
    const heard: CancelReport[] = [];
    if (isTried) cancels.requireNotCancelled(resource, { by, revision });
    cancels.hearing((told) => void heard.push(told))({ resource, by, outcome: 'failed', revision, error: 'timed out' });
    const attempt = () => cancels.requireNotCancelled(resource, { by: 'schedule', revision: COMMIT });
    if (isOver) expect(attempt).not.toThrow();
    else expect(attempt).toThrow(Cancelled);
    expect(heard.map(({ cancelled }) => cancelled)).toEqual([isOver ? null : NOTE]);
  });

  it('[issue 12.1] is over once somebody goes back to a stored revision', async () => {
    const revisions = [1, 2].map((revision) => ({ revision, status: 'deployed' as const }));
    const cluster = { namespaces: ['pay'], resources: [], helm: [{ namespace: 'pay', name: 'pay-ledger', revisions }] };
    const harness = new Harness({ given: { git: { commits: [] }, cluster } });
    const resource = aResource(2, NOTE);
    await harness.engine.rollback(resource, 1, async () => true);
    expect(() => harness.engine.cancels.requireNotCancelled(resource, { by: 'schedule', revision: COMMIT })).not.toThrow();
  });

  it.each<[string, Partial<HelmWork>, readonly string[]]>([
    ['an earlier process of the server began', { isInherited: true, madeFrom: COMMIT }, [COMMIT]],
    ['an earlier process began, and nobody knows at which commit', { isInherited: true }, []],
    ['this process began, whose loop tells it', { isInherited: false }, []],
    ['has ended', { isInherited: true, madeFrom: COMMIT, until: NOW }, []],
  ])('[issue 12.1] is not tried again where what was cancelled is a Helm that %s', async (_what, how, kept) => {
    const cancels = new Cancels();
    const heard: CancelReport[] = [];
    const cancel = createCancel({
      helm: { cancel: async () => 'upgrade' },
      works: { of: () => ({ ...uninstall, command: 'upgrade', ...how }) },
      cancels,
      notify: (told) => void heard.push(told),
    });
    expect(await cancel(aResource(2), 'ada')).toBe('upgrade');
    for (const revision of [COMMIT, OTHER]) {
      const attempt = () => cancels.requireNotCancelled(aResource(2), { by: 'resource', revision });
      if (kept.includes(revision)) expect(attempt).toThrow(new Cancelled(message));
      else expect(attempt).not.toThrow();
    }
    expect(heard.map(({ outcome, isCancelled, error, cancelled }) => [outcome, isCancelled, error, cancelled])).toEqual(
      kept.map(() => ['failed', true, message, NOTE]),
    );
  });
});
