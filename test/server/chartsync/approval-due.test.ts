import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { readDeclared } from '@/server/chartsync/model/declared';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';
import { toObject } from '../../cases/chartsync/world';

/** A release whose newest revision failed at the commit before the one that is approved. */
function given(status: Fields): World {
  const spec = { chartGitPath: 'ledger', values: {} };
  return {
    git: {
      commits: [
        { id: 'c0', charts: { 'charts/ledger': {} } },
        { id: 'c1', charts: { 'charts/ledger': { version: '1.0.1' } } },
      ],
    },
    cluster: {
      namespaces: ['pay'],
      resources: [{ kind: 'FluxHelmRelease', namespace: 'pay', name: 'ledger', spec, status }],
      helm: [
        {
          namespace: 'pay',
          name: 'pay-ledger',
          revisions: [
            { revision: 1, status: 'deployed' },
            { revision: 2, status: 'failed' },
          ],
        },
      ],
    },
  };
}

/** What a look at it does, with a gate that is at the newest commit, or none. */
async function look(status: Fields, isGated: boolean): Promise<readonly string[]> {
  const { actions } = await lookAt(given(status), isGated);
  return actions.map(({ do: act }) => act).filter((act) => act === 'install' || act === 'upgrade');
}

async function lookAt(world: World, isGated: boolean, times = 1): Promise<Harness> {
  const gate = {
    commitFor: async () => (isGated ? 'c1' : undefined),
    dependenciesFor: () => undefined,
    archiveFor: async () => ({ waits: 'it is in git' }),
    isGated: () => isGated,
    requireCommit: async () => undefined,
    lostWhileHeld: async () => undefined,
    forget: () => undefined,
  };
  const harness = new Harness({ given: world }, { gate });
  await harness.prepare();
  for (let time = 0; time < times; time++) await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  return harness;
}

describe('a look at a release that failed', () => {
  it('[issue 12.1] brings it to the commit that was approved where the process ended before it could', async () => {
    expect(await look({ failure: { revision: 'c0' } }, true)).toEqual(['upgrade']);
    // Told once, the specification counts again: Helm refuses an install over what failed.
    expect(await look({ failure: { revision: 'c1' } }, true)).toEqual(['install']);
    expect(await look({ failure: { revision: 'c0' } }, false)).toEqual(['install']);
  });

  it.each([
    ['where something else was told of it since', { lastAttempt: { revision: 'c1' } }, 'install'],
    [
      'where a look failed since that could not tell its commit',
      { lastAttempt: { revision: 'c1' }, failure: { revision: null } },
      'install',
    ],
    ['unless only a look was told that attempted nothing', { lastAttempt: { revision: 'c0' }, failure: { revision: 'c1' } }, 'upgrade'],
  ])('[issue 12.1] attempts no commit again that was approved and failed, %s', async (_when, status, act) => {
    expect(await look(status, true)).toEqual([act]);
  });

  it('[issue 12.1] says that it was cancelled in the same words each time', async () => {
    const world = given({ cancelled: { revision: 'c1', generation: 1, message: 'ada cancelled it' } });
    const { actions, engine } = await lookAt(world, false, 3);
    expect(actions.filter(({ do: act }) => act === 'install')).toEqual([]);
    const [resource] = world.cluster.resources.map((one) => readDeclared(toObject(one)));
    const chart = { folder: '/export/c1', path: 'charts/ledger', revision: 'c1' };
    const attempt = resource && engine.cancels.requireNotCancelled(resource, { by: 'schedule', chart, isGated: false });
    await expect(attempt).rejects.toThrow(/^ada cancelled it$/);
  });
});
