import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { CancelReport } from '@/server/chartsync/decisions/cancellations';
import { Cancellations, Cancelled, createCancel } from '@/server/chartsync/decisions/cancellations';
import type { HelmOperation } from '@/server/chartsync/describe/helm-operations';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { SyncReport, Trigger } from '@/server/chartsync/ports';
import { Harness } from '../../cases/chartsync/harness';
import { silentLog } from '../../support/silent-log';
import { NOW, uninstall } from './release-rig';

const COMMIT = 'a'.repeat(40);
const { message } = Cancelled.by('ada');
const OTHER = 'b'.repeat(40);
const TREE = `chart-tree ${'1'.repeat(40)}`;
const MADE = { revision: COMMIT, chart: TREE, generation: 2 };
const NOTE = { ...MADE, message };

const aResource = (generation: number, cancelled?: object) =>
  readDeclared({
    ...KINDS.fluxHelmRelease,
    metadata: { namespace: 'pay', name: 'ledger', uid: 'u', generation },
    spec: { chartGitPath: 'ledger', values: {} },
    ...(cancelled === undefined ? {} : { status: { cancelled } }),
  });

const chartAt = (revision: string) => ({ folder: `/exports/${revision}`, path: 'charts/ledger', revision });

/** Of charts whose content is told by their commits; each has its own where nothing is said. */
const cancelsOver = (trees: Readonly<Record<string, string>> = { [COMMIT]: TREE }) =>
  new Cancellations({
    factsOf: async ({ chart: { revision } }) => {
      const tree = trees[revision] ?? `chart-tree of ${revision}`;
      if (tree === 'unreadable') throw new Error('there is no chart');
      return { tree, version: 'v4.3.1' };
    },
  });

const attemptAt = (revision: string, by: Trigger = 'schedule', isGated = false) => ({ by, chart: chartAt(revision), isGated });

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
  ])('[issue 12.1] by what its status says: %s', async (_title, by, revision, generation, isKept) => {
    const attempt = cancelsOver().requireNotCancelled(aResource(generation, NOTE), attemptAt(revision, by));
    // As cancelled anew, so that whoever writes that down loses nothing where its copy of the status is old.
    if (isKept) await expect(attempt).rejects.toThrow(new Cancelled(message));
    else await attempt;
  });

  it.each<[string, object, Readonly<Record<string, string>>, object, boolean]>([
    ['of another commit that left the chart as it is', NOTE, { [OTHER]: TREE }, {}, true],
    ['of the same commit, whose dependencies moved', { ...NOTE, revision: OTHER }, {}, {}, false],
    ['of another commit that left the chart as it is, and that people approved', NOTE, { [OTHER]: TREE }, { isGated: true }, false],
    ['of another commit that left the chart as it is, with other values', NOTE, { [OTHER]: TREE }, { hasOtherValues: true }, false],
    ['of another commit, whose chart cannot be read', NOTE, { [OTHER]: 'unreadable' }, {}, false],
    ['of the same commit, whose chart cannot be read', { ...NOTE, revision: OTHER }, { [OTHER]: 'unreadable' }, {}, true],
    ['of another commit, where the content was not kept', { ...NOTE, chart: undefined }, { [OTHER]: TREE }, {}, false],
  ])('[issue 12.1] is known again by what the chart holds: %s', async (_title, note, trees, more, isKept) => {
    const attempt = cancelsOver(trees).requireNotCancelled(aResource(2, note), { ...attemptAt(OTHER), ...more });
    if (isKept) await expect(attempt).rejects.toThrow(new Cancelled(message));
    else await attempt;
  });

  it('[issue 12.1] is repeated at other commits that leave the chart as it is, and told as of the one where it was cancelled', async () => {
    const cancels = cancelsOver({ [COMMIT]: TREE, [OTHER]: TREE });
    const heard: CancelReport[] = [];
    const tell = cancels.hearing((told) => void heard.push(told));
    const resource = aResource(2);
    await cancels.requireNotCancelled(resource, attemptAt(COMMIT, 'resource'));
    for (const revision of [COMMIT, OTHER, 'c'.repeat(40)]) {
      tell({ resource, by: 'schedule', outcome: 'failed', revision, error: message, isCancelled: true });
      await expect(cancels.requireNotCancelled(resource, attemptAt(OTHER))).rejects.toThrow(message);
    }
    expect(heard.map(({ revision, cancelled }) => [revision, cancelled])).toEqual([1, 2, 3].map(() => [COMMIT, NOTE]));
    await cancels.requireNotCancelled(resource, attemptAt('d'.repeat(40), 'commit'));
    tell({ resource, by: 'commit', outcome: 'upgraded', revision: 'd'.repeat(40) });
    expect(heard.at(-1)).toMatchObject({ revision: 'd'.repeat(40), cancelled: null });
  });

  it('[issue 12.1] counts from when it is told, before its status says so, until something is done or found as it should be', async () => {
    const cancels = cancelsOver();
    const heard: SyncReport[] = [];
    const tell = cancels.hearing((told) => void heard.push(told));
    const resource = aResource(2);
    const attempt = () => cancels.requireNotCancelled(resource, attemptAt(COMMIT));
    await attempt();
    tell({ resource, by: 'resource', outcome: 'failed', revision: COMMIT, error: message, isCancelled: true });
    await expect(attempt()).rejects.toThrow(Cancelled);
    tell({ resource, by: 'schedule', outcome: 'failed', revision: COMMIT, error: message });
    await expect(attempt()).rejects.toThrow(message);
    tell({ resource, by: 'schedule', outcome: 'equal', revision: COMMIT });
    await attempt();
    expect(heard).toHaveLength(3);
  });

  it.each(['held', 'gated', 'waits', 'dropped', 'plan-moved'] as const)(
    '[issue 12.1] stays so whatever is looked at meanwhile and attempts nothing: %s',
    async (outcome) => {
      const [resource, cancels] = [aResource(2), cancelsOver()];
      const heard: CancelReport[] = [];
      const tell = cancels.hearing((told) => void heard.push(told));
      await cancels.requireNotCancelled(resource, attemptAt(COMMIT, 'resource'));
      tell({ resource, by: 'resource', outcome: 'failed', revision: COMMIT, error: message, isCancelled: true });
      await cancels.requireNotCancelled(resource, attemptAt(COMMIT, 'decision')); // asked for, and then kept from running
      tell({ resource, by: 'decision', outcome, revision: OTHER });
      await expect(cancels.requireNotCancelled(resource, attemptAt(COMMIT))).rejects.toThrow(Cancelled);
      expect(heard.map(({ cancelled }) => cancelled)).toEqual([NOTE, NOTE]);
    },
  );

  it.each<[string, boolean, Trigger, string, boolean]>([
    ['another commit is tried, and fails', true, 'commit', OTHER, true],
    ['somebody has it tried again, and it fails', true, 'decision', COMMIT, true],
    ['something fails before anything is tried', false, 'commit', OTHER, false],
  ])('[issue 12.1] is over, or not, once %s', async (_title, isTried, by, revision, isOver) => {
    const [resource, cancels] = [aResource(2, NOTE), cancelsOver()];
    const heard: CancelReport[] = [];
    if (isTried) await cancels.requireNotCancelled(resource, attemptAt(revision, by));
    cancels.hearing((told) => void heard.push(told))({ resource, by, outcome: 'failed', revision, error: 'timed out' });
    const attempt = cancels.requireNotCancelled(resource, attemptAt(COMMIT));
    if (isOver) await attempt;
    else await expect(attempt).rejects.toThrow(Cancelled);
    expect(heard.map(({ cancelled }) => cancelled)).toEqual([isOver ? null : NOTE]);
  });

  it('[issue 12.1] is over once somebody goes back to a stored revision', async () => {
    const revisions = [1, 2].map((revision) => ({ revision, status: 'deployed' as const }));
    const cluster = { namespaces: ['pay'], resources: [], helm: [{ namespace: 'pay', name: 'pay-ledger', revisions }] };
    const harness = new Harness({ given: { git: { commits: [] }, cluster } });
    const resource = aResource(2, { ...NOTE, chart: undefined });
    await harness.engine.rollback(resource, 1, async () => true);
    await harness.engine.cancels.requireNotCancelled(resource, attemptAt(COMMIT));
  });

  it.each<[string, Partial<HelmOperation>, boolean]>([
    ['an earlier process of the server began', { isInherited: true, madeFrom: MADE }, true],
    ['an earlier process began, and nobody knows for what', { isInherited: true }, false],
    ['this process began, whose loop tells it', { isInherited: false, madeFrom: MADE }, false],
    ['has ended', { isInherited: true, madeFrom: MADE, until: NOW }, false],
  ])('[issue 12.1] is not tried again where what was cancelled is a Helm that %s', async (_what, how, isKept) => {
    const [cancels, resource] = [cancelsOver({ [COMMIT]: TREE, [OTHER]: TREE }), aResource(2)];
    const heard = await cancelBy(cancels, how, resource);
    for (const revision of [COMMIT, OTHER]) {
      const attempt = cancels.requireNotCancelled(resource, attemptAt(revision, 'resource'));
      if (isKept) await expect(attempt).rejects.toThrow(new Cancelled(message));
      else await attempt;
    }
    expect(heard.map(({ outcome, isCancelled, error, revision, cancelled }) => [outcome, isCancelled, error, revision, cancelled])).toEqual(
      isKept ? [['failed', true, message, COMMIT, NOTE]] : [],
    );
  });

  it('[issue 12.1] stands in the status before Helm hears of it, so that a process that is killed meanwhile leaves word of that', async () => {
    const [cancels, resource] = [cancelsOver(), aResource(2)];
    await cancels.requireNotCancelled(resource, attemptAt(COMMIT));
    const foreseen: Fields[] = [];
    expect(await cancelBy(cancels, { isInherited: false }, resource, foreseen)).toEqual([]);
    expect(foreseen).toEqual([{ cancelled: NOTE }]);
    await expect(cancelsOver().requireNotCancelled(aResource(2, foreseen[0]?.cancelled as object), attemptAt(COMMIT))).rejects.toThrow(
      new Cancelled(message),
    );
    // Helm had ended all the same: it is over once that is told.
    cancels.hearing(() => undefined)({ resource, by: 'schedule', revision: COMMIT, outcome: 'upgraded' });
    await cancels.requireNotCancelled(aResource(2, NOTE), attemptAt(COMMIT));
  });

  it.each([false, true])(
    '[issue 12.1] is what ran then: Helm that begins while that is noted goes on, after one of an earlier server: %s',
    async (isInherited) => {
      const [cancels, resource] = [cancelsOver(), aResource(2)];
      await cancels.requireNotCancelled(resource, attemptAt(COMMIT));
      const [ended, told]: [string[], CancelReport[]] = [[], []];
      let running = 'upgrade';
      const underWay = () => {
        const seen = running;
        return {
          cancel: (by: string) => {
            if (seen !== running) return undefined;
            ended.push(`${by}: ${seen}`);
            return Promise.resolve(seen);
          },
        };
      };
      const cancel = createCancel({
        helm: { underWay },
        resources: {
          writeStatus: async () => {
            running = 'rollback'; // the upgrade has failed by itself meanwhile
          },
        },
        log: silentLog,
        works: { of: () => ({ ...uninstall, command: 'upgrade', isInherited, madeFrom: MADE }) },
        cancels,
        notify: (one) => void told.push(one),
      });
      expect(await cancel(resource, 'ada')).toBeUndefined();
      expect([ended, told]).toEqual([[], []]);
    },
  );

  it('[issue 12.1] by a killed server is kept for the spec that it was begun for: one that was changed since is tried', async () => {
    const cancels = cancelsOver();
    const heard = await cancelBy(cancels, { isInherited: true, madeFrom: MADE }, aResource(3));
    expect(heard.map(({ cancelled }) => cancelled)).toEqual([NOTE]);
    await cancels.requireNotCancelled(aResource(3), attemptAt(COMMIT, 'resource'));
  });
});

/** Cancels a Helm for ada, and answers what is told of that. */
async function cancelBy(
  cancels: Cancellations,
  how: Partial<HelmOperation>,
  resource: ReturnType<typeof aResource>,
  foreseen: Fields[] = [],
): Promise<readonly CancelReport[]> {
  const heard: CancelReport[] = [];
  const written: Fields[] = [];
  const cancel = createCancel({
    helm: {
      underWay: () => ({
        cancel: async () => {
          foreseen.push(...written);
          return 'upgrade';
        },
      }),
    },
    resources: { writeStatus: async (_at, changes) => void written.push(changes) },
    log: silentLog,
    works: { of: () => ({ ...uninstall, command: 'upgrade', ...how }) },
    cancels,
    notify: (told) => void heard.push(told),
  });
  expect(await cancel(resource, 'ada')).toBe('upgrade');
  return heard;
}
