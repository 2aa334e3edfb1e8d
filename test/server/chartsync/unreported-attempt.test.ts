import { expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { readField } from '@/lib/kube/fields';
import { Interrupted } from '@/server/chartsync/process/interrupted';
import { Harness, NO_GATE } from '../../cases/chartsync/harness';
import type { Fault, World } from '../../cases/chartsync/world';
import type { Left } from './interrupted-attempt-rig';
import { attemptOf, attemptTold, CHART, playing } from './interrupted-attempt-rig';

interface Deployed {
  readonly phase?: string;
  readonly told?: number;
  readonly stored?: number;
  readonly replicas?: number;
  readonly attempt?: Fields;
}

/** A HelmRelease whose second generation was being released when the server was killed, and what Helm has stored by now. */
function worldOf({ phase = 'Upgrading', told = 1, stored = 2, replicas = 3, attempt = {} }: Deployed): World {
  const spec = { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: { replicas: 3 } };
  const status = { observedGeneration: 1, phase, lastAttemptedRevision: 'c1', lastAct: { storedRevision: told }, ...attempt };
  const revisions = [{ revision: stored, status: 'deployed' as const, chartPath: 'charts/ledger', chart: CHART, values: { replicas } }];
  return {
    git: { commits: [{ id: 'c1', charts: { 'charts/ledger': CHART } }] },
    cluster: {
      namespaces: ['pay'],
      resources: [{ kind: 'HelmRelease', namespace: 'pay', name: 'ledger', generation: 2, spec, status }],
      helm: [{ namespace: 'pay', name: 'pay-ledger', antecedent: 'pay:helmrelease/ledger', revisions }],
    },
  };
}

it.each<[string, Parameters<typeof worldOf>[0], readonly string[]]>([
  ['was released by a Helm that outlived its server is not released again', {}, ['dryRun']],
  ['was not what that Helm released is released', { replicas: 2 }, ['dryRun', 'upgrade', 'annotate']],
  ['was not stored by any Helm is released without a comparison', { stored: 1 }, ['upgrade', 'annotate']],
  ['was released by a Helm whose server was killed in the test of it is not released again', { phase: 'Testing' }, ['dryRun']],
  ['was released so is not released again, whatever a look found since', { phase: 'Failed', attempt: attemptOf(2, 1) }, ['dryRun']],
  ['was not stored, but what somebody else stored before it, is released', { attempt: attemptOf(2, 2) }, ['upgrade', 'annotate']],
  ['came after what was released is released', { phase: 'Failed', attempt: attemptOf(1, 1) }, ['upgrade', 'annotate']],
  ['nobody was releasing is released without a comparison', { phase: 'Succeeded' }, ['upgrade', 'annotate']],
])('[issue 12, proof] what a HelmRelease wants and %s', async (_title, left, done) => {
  const harness = new Harness({ given: worldOf(left) });
  await harness.prepare();
  await harness.play({ do: 'tick' });
  const acts = harness.actions.filter((action) => ['dryRun', 'upgrade', 'annotate'].includes(action.do));
  expect(acts.map((action) => action.do)).toEqual(done);
  expect(readField(harness.resources.get('pay/ledger')?.status, 'lastAttempt', 'after')).toBeUndefined();
  // Once is enough.
  await harness.play({ do: 'tick' });
  expect(harness.actions.filter((action) => action.do === 'upgrade')).toHaveLength(done.includes('upgrade') ? 1 : 0);
});

const OUT: Fault = { on: 'gitRevision', error: 'the repository is out', times: 1 };
const TIED = { observedGeneration: 2, phase: 'ChartFetchFailed' };

it.each<[string, Left, number]>([
  ['failed of it while no server ran is not attempted again', {}, 0],
  ['came after what failed while no server ran is attempted', { generation: 3 }, 1],
  ['never came to Helm is attempted', { stored: [[2, 'failed']] }, 1],
  ['never came to Helm is attempted, also for a commit', { stored: [[2, 'failed']], generation: 1, attempt: attemptOf(1, 2) }, 1],
  ['never came to Helm is attempted, also after a look that found no chart', { stored: [[2, 'failed']], faults: [OUT] }, 1],
  ['never came to Helm is attempted, also where a look told so before', { stored: [[2, 'failed']], status: TIED }, 1],
  ['failed of it is not attempted again, also after a wait for a dependency', { status: { phase: 'DependencyNotReady' } }, 0],
  ['failed of it is not attempted again, also where Helm was to go back', { status: { phase: 'RollingBack' } }, 0],
  ['nobody attempted is attempted', { attempt: {}, status: { phase: 'Failed' } }, 1],
  ['nobody attempted is attempted, also after a look that found no chart', { attempt: attemptTold(1), faults: [OUT] }, 1],
  ['failed and was told is not attempted again', { attempt: attemptTold(2), status: { phase: 'DeployFailed' } }, 0],
])('[X-FAIL-1, X-FAIL-2] what a HelmRelease wants and %s', async (_title, left, upgrades) => {
  const { harness, done } = await playing(left);
  for (const _ of [1, 2, 3]) await harness.play({ do: 'tick' });
  expect(done().filter((act) => act === 'upgrade')).toHaveLength(upgrades);
});

const ROLLBACK = { enable: true, retry: true, maxRetries: 1 };
const WENT_BACK: Left['stored'] = [
  [2, 'superseded', 2],
  [3, 'failed'],
  [4, 'deployed', 2, 'Rollback to 2'],
];

it.each<[string, Fields, readonly string[]]>([
  ['is not tried past what it may be', ROLLBACK, ['dryRun', 'dryRun']],
  ['is tried as often as it may be', { ...ROLLBACK, maxRetries: 2 }, ['upgrade', 'dryRun']],
])('[X-RB-1, X-RETRY-1] what failed, and Helm went back from when its server was killed, %s', async (_title, rollback, acts) => {
  const conditions = { Deployed: 'False', RolledBack: 'Unknown' };
  const status = { phase: 'DependencyNotReady', conditions, rollbackCount: 1 };
  const { harness, done, ...now } = await playing({ status, spec: { rollback }, stored: WENT_BACK });
  const told: unknown[] = [];
  await harness.play({ do: 'tick' });
  told.push(now.status('rollbackCount'), now.status('phase'), ...now.conditions().filter((one) => one.startsWith('RolledBack')));
  await harness.play({ do: 'tick' });
  expect(done()).toEqual(acts);
  if (acts.includes('upgrade')) return;
  expect(told).toEqual([2, 'RolledBack', 'RolledBack True']);
  expect(harness.errors).toEqual(['']); // that Helm went back, and since what
  expect([now.status('rollbackCount'), now.status('lastAttempt', 'after')]).toEqual([2, undefined]);
});

it.each<[string, Left, readonly string[]]>([
  ['goes, and what is wanted is installed', {}, ['uninstall', 'install']],
  ['stays where somebody else has installed that', { stored: [[1, 'failed', 7]], generation: 1 }, []],
  ['stays where its end was told', { attempt: attemptTold(1), generation: 1 }, []],
  ['stays where a person unlocked it', { stored: [[1, 'failed', 3, 'Initial install underway']], generation: 1 }, []],
])('[X-INST-1] what a first install left that failed when its server was killed %s', async (_title, left, acts) => {
  const { harness, done } = await playing({ stored: [[1, 'failed']], attempt: attemptOf(1, 0), ...left });
  for (const _ of [1, 2]) await harness.play({ do: 'tick' });
  expect(done().filter((act) => act !== 'dryRun')).toEqual(acts);
});

it('[X-FAIL-2] what could not be noted before Helm was to begin is attempted by the next look', async () => {
  const { harness, done, status } = await playing({ stored: [[2, 'failed']], attempt: {} });
  const { resources } = harness;
  const write = resources.writeStatus.bind(resources);
  resources.writeStatus = async () => {
    resources.writeStatus = write;
    throw new Error('the API server is out');
  };
  await harness.play({ do: 'tick' });
  expect([done(), status('phase'), status('lastAttempt')]).toEqual([
    [],
    'Failed',
    { generation: 2, after: 2, found: { release: 'pay/pay-ledger', after: 2, action: 'upgrade', deployed: null } },
  ]);
  await harness.play({ do: 'tick' });
  expect([done(), status('phase'), status('lastAttempt', 'after')]).toEqual([['upgrade'], 'Succeeded', undefined]);
});

it('[X-FAIL-2] an upgrade that was ended with its server is left as it is, and attempted by the next one where Helm stored nothing', async () => {
  let isEnding = true;
  const takes = async () => {
    if (isEnding) throw new Interrupted('the server stops');
  };
  const { harness, done, status } = await playing({ stored: [[2, 'failed']] }, { takes });
  await harness.play({ do: 'tick' });
  expect([done(), status('phase'), status('observedGeneration'), status('lastAttempt', 'after')]).toEqual([[], 'Upgrading', 1, 2]);
  expect([harness.resources.events, harness.errors]).toEqual([[], []]);
  isEnding = false;
  await harness.play({ do: 'tick' });
  expect([done(), status('phase')]).toEqual([['upgrade'], 'Succeeded']);
});

it.each([
  ['fails by itself', [{ on: 'upgrade', error: 'a hook failed' }], 'DeployFailed', 'FailedReleaseSync'],
  ['succeeds', [], 'Succeeded', 'ReleaseSynced'],
])('[R-LOOP-9] an upgrade that %s while its server stops is told', async (_how, faults, phase, reason) => {
  const stopping: Promise<void>[] = [];
  const takes = async () => void stopping.push(harness.engine.stop());
  const { harness, status } = await playing({ stored: [[2, 'failed']], faults }, { takes });
  await harness.play({ do: 'tick' });
  await Promise.all(stopping);
  expect([status('phase'), status('observedGeneration'), status('lastAttempt', 'after')]).toEqual([phase, 2, undefined]);
  expect(harness.resources.events.map((event) => event.reason)).toEqual([reason]);
});

it('[X-FAIL-2] a look whose server stops before it has decided begins nothing, and tells nothing', async () => {
  const { harness, done, status } = await playing({ stored: [[2, 'failed']], faults: [OUT] });
  const { resources } = harness;
  const read = resources.read.bind(resources);
  resources.read = async (at) => {
    void harness.engine.stop();
    return read(at);
  };
  await harness.play({ do: 'tick' });
  expect([done(), status('phase'), status('observedGeneration'), resources.events]).toEqual([[], 'Upgrading', 1, []]);
});

it('[X-FAIL-2] an upgrade whose turn comes while its server stops, so that its gate cannot be asked, is left to the next one', async () => {
  const gate = { ...NO_GATE, requireCommit: () => Promise.reject(new Error('git was ended')) };
  const { harness, status } = await playing({ stored: [[2, 'failed']] }, { gate });
  harness.helm.upgrade = async ({ mayBegin }) => {
    void harness.engine.stop();
    await mayBegin?.();
  };
  await harness.play({ do: 'tick' });
  expect([status('phase'), status('observedGeneration'), status('lastAttempt', 'after')]).toEqual(['Upgrading', 1, 2]);
  expect(harness.resources.events).toEqual([]);
});
