import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';

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
  const gate = {
    commitFor: async () => (isGated ? 'c1' : undefined),
    dependenciesFor: () => undefined,
    archiveFor: async () => ({ waits: 'it is in git' }),
    isGated: () => isGated,
    requireCommit: async () => undefined,
    lostWhileHeld: async () => undefined,
    forget: () => undefined,
  };
  const harness = new Harness({ given: given(status) }, { gate });
  await harness.prepare();
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  return harness.actions.map(({ do: act }) => act).filter((act) => act === 'install' || act === 'upgrade');
}

describe('a look at a release that failed', () => {
  it('[issue 12.1] brings it to the commit that was approved where the process ended before it could', async () => {
    expect(await look({ failure: { revision: 'c0' } }, true)).toEqual(['upgrade']);
    // Told once, the specification counts again: Helm refuses an install over what failed.
    expect(await look({ failure: { revision: 'c1' } }, true)).toEqual(['install']);
    expect(await look({ failure: { revision: 'c0' } }, false)).toEqual(['install']);
  });
});
