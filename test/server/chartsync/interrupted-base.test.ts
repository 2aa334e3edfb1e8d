import { expect, it } from 'vitest';
import { Interrupted } from '@/server/chartsync/process/interrupted';
import { Harness, NO_GATE } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';

const ends = async () => {
  throw new Interrupted('the server stops');
};

/** A FluxHelmRelease whose values differ from what Helm stored. */
const GIVEN: World = {
  git: { commits: [{ id: 'c1', charts: { 'charts/ledger': {} } }] },
  cluster: {
    namespaces: ['pay'],
    resources: [{ kind: 'FluxHelmRelease', namespace: 'pay', name: 'ledger', spec: { chartGitPath: 'ledger', values: { replicas: 3 } } }],
    helm: [{ namespace: 'pay', name: 'pay-ledger', revisions: [{ revision: 1, status: 'deployed', chartPath: 'charts/ledger' }] }],
  },
};

async function engineWith(otherwise: ConstructorParameters<typeof Harness>[1] = {}): Promise<Harness> {
  const harness = new Harness({ given: GIVEN }, otherwise);
  await harness.prepare();
  return harness;
}

const acts = ({ actions }: Harness) => actions.map(({ do: act }) => act).filter((act) => ['dryRun', 'install', 'upgrade'].includes(act));
const outcomes = ({ reports }: Harness) => reports.map(({ outcome }) => outcome);

it.each(['dryRun', 'upgrade'] as const)('[R-LOOP-9] a %s that is ended with its server is told as no failure', async (act) => {
  const harness = await engineWith();
  const does = harness.helm[act].bind(harness.helm);
  harness.helm[act] = ends;
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect([outcomes(harness), harness.logs.filter(({ level }) => level === 'warn')]).toEqual([[], []]);
  Object.assign(harness.helm, { [act]: does });
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(outcomes(harness)).toEqual(['upgraded']);
});

it.each([
  ['that failed', async () => Promise.reject(new Error('a hook failed')), true],
  ['that succeeded', async () => undefined, true],
])('[issue 12.1] an upgrade %s counts as an attempt at its commit', async (_how, upgrade, isAttempted) => {
  const harness = await engineWith();
  harness.helm.upgrade = upgrade;
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(harness.reports).toMatchObject([{ isAttempted }]);
});

it('[issue 12.1] what could not begin counts as no attempt at its commit', async () => {
  const plans = {
    clearPreviewedPlan: async () => undefined,
    run: async () => ({ outcome: 'plan-moved', error: 'it moved', seen: 'x' }) as const,
  };
  const harness = await engineWith({ plans });
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(harness.reports.map(({ outcome, isAttempted }) => [outcome, isAttempted])).toEqual([['plan-moved', undefined]]);
});

it('[R-LOOP-9] an upgrade that fails by itself while its server stops is told', async () => {
  const harness = await engineWith();
  const stopping: Promise<void>[] = [];
  harness.helm.upgrade = async () => {
    stopping.push(harness.engine.stop());
    throw new Error('a hook failed');
  };
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  await Promise.all(stopping);
  expect(harness.reports).toMatchObject([{ outcome: 'failed', error: 'a hook failed' }]);
});

it('[R-LOOP-9] an upgrade whose turn comes while its server stops, so that its gate cannot be asked, is told as no failure', async () => {
  const harness = await engineWith({ gate: { ...NO_GATE, requireCommit: () => Promise.reject(new Error('git was ended')) } });
  harness.helm.upgrade = async ({ mayBegin }) => {
    void harness.engine.stop();
    await mayBegin?.();
  };
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect(outcomes(harness)).toEqual([]);
});

it.each([
  ['the gate could not be asked', async () => Promise.reject(new Error('git was ended'))],
  ['the gate was asked', async () => undefined],
])('[R-LOOP-9] a look whose server stops when %s begins nothing, and tells nothing', async (_when, answer) => {
  let stop: () => void = () => undefined;
  const commitFor = async () => {
    stop();
    return answer();
  };
  const harness = await engineWith({ gate: { ...NO_GATE, commitFor } });
  stop = () => void harness.engine.stop();
  await harness.play({ do: 'resourceAdded', key: 'pay/ledger' });
  expect([acts(harness), outcomes(harness)]).toEqual([[], []]);
});

it('[R-DEL-5] a deletion that is ended with its server is told as a failure, since nobody takes it up', async () => {
  const harness = await engineWith();
  harness.helm.uninstall = ends;
  await harness.play({ do: 'resourceDeleted', key: 'pay/ledger' });
  expect(harness.reports).toMatchObject([{ by: 'deletion', outcome: 'failed', error: 'the server stops' }]);
});
