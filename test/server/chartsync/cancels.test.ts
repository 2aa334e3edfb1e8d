import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { Cancelled, Cancels, createCancel } from '@/server/chartsync/decisions/cancelled';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { SyncReport, Trigger } from '@/server/chartsync/ports';
import { NOW, uninstall } from './release-rig';

const COMMIT = 'a'.repeat(40);
const { message } = Cancelled.by('ada');
const FAILURE = { revision: COMMIT, message, cancelled: 2 };

const aResource = (generation: number, failure?: object) =>
  readDeclared({
    ...KINDS.fluxHelmRelease,
    metadata: { namespace: 'pay', name: 'ledger', uid: 'u', generation },
    spec: { chartGitPath: 'ledger', values: {} },
    ...(failure === undefined ? {} : { status: { failure } }),
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
    ['a commit', 'commit', 'b'.repeat(40), 2, false],
    ['the schedule, of another revision', 'schedule', 'b'.repeat(40), 2, false],
    ['the schedule, of another spec', 'schedule', COMMIT, 3, false],
  ])('[issue 12.1] by what its status says: %s', (_title, by, revision, generation, isKept) => {
    const attempt = () => new Cancels().requireNotCancelled(aResource(generation, FAILURE), { by, revision });
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

  it.each([
    ['an earlier process of the server began', { isInherited: true }, true],
    ['this process began, whose loop tells it', { isInherited: false }, false],
    ['has ended', { isInherited: true, until: NOW }, false],
  ])('[issue 12.1] is not tried again where what was cancelled is a Helm that %s: %j', async (_what, how, isTold) => {
    const cancels = new Cancels();
    const heard: SyncReport[] = [];
    const cancel = createCancel({
      helm: { cancel: async () => 'upgrade' },
      works: { of: () => ({ ...uninstall, command: 'upgrade', ...how }) },
      cancels,
      notify: (told) => void heard.push(told),
      pinned: () => COMMIT,
    });
    expect(await cancel(aResource(2), 'ada')).toBe('upgrade');
    const attempt = () => cancels.requireNotCancelled(aResource(2), { by: 'resource', revision: COMMIT });
    if (isTold) expect(attempt).toThrow(new Cancelled(message));
    else expect(attempt).not.toThrow();
    expect(heard.map(({ outcome, isCancelled, error }) => [outcome, isCancelled, error])).toEqual(
      isTold ? [['failed', true, message]] : [],
    );
  });
});
