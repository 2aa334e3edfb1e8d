import { expect, it } from 'vitest';
import { Harness } from '../../cases/chartsync/harness';
import type { World } from '../../cases/chartsync/world';

const CHART = { templates: [['templates/all.yaml', 'A']] as [string, string][] };

/** A HelmRelease whose second generation was being released when the server was killed, and what Helm has stored by now. */
function worldOf({ phase = 'Upgrading', told = 1, stored = 2, replicas = 3 }): World {
  const spec = { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: { replicas: 3 } };
  const status = { observedGeneration: 1, phase, lastAttemptedRevision: 'c1', lastAct: { storedRevision: told } };
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
  ['nobody was releasing is released without a comparison', { phase: 'Succeeded' }, ['upgrade', 'annotate']],
])('[issue 12, proof] what a HelmRelease wants and %s', async (_title, left, done) => {
  const harness = new Harness({ given: worldOf(left) });
  await harness.prepare();
  await harness.play({ do: 'tick' });
  const acts = harness.actions.filter((action) => ['dryRun', 'upgrade', 'annotate'].includes(action.do));
  expect(acts.map((action) => action.do)).toEqual(done);
  // Once is enough.
  await harness.play({ do: 'tick' });
  expect(harness.actions.filter((action) => action.do === 'upgrade')).toHaveLength(done.includes('upgrade') ? 1 : 0);
});

/** A HelmRelease whose attempt ended with its server, after two that failed had been told, and what Helm has stored by now. */
function failedWorld({ generation = 2, attempted = 2, stored = 3, phase = 'Upgrading' }): World {
  const spec = { chart: { git: 'repo', ref: 'main', path: 'charts/ledger' }, values: { replicas: 3 } };
  const lastAttempt = { generation: attempted, after: 2 };
  const status = {
    observedGeneration: 1,
    phase,
    lastAttemptedRevision: 'c1',
    lastAttemptedValues: spec.values,
    lastAct: { storedRevision: 1 },
    lastAttempt,
  };
  const revisions = [{ revision: stored, status: 'failed' as const, chartPath: 'charts/ledger', chart: CHART, values: spec.values }];
  return {
    git: { commits: [{ id: 'c1', charts: { 'charts/ledger': CHART } }] },
    cluster: {
      namespaces: ['pay'],
      resources: [{ kind: 'HelmRelease', namespace: 'pay', name: 'ledger', generation, spec, status }],
      helm: [{ namespace: 'pay', name: 'pay-ledger', antecedent: 'pay:helmrelease/ledger', revisions }],
    },
  };
}

it.each<[string, Parameters<typeof failedWorld>[0], number]>([
  ['failed of it while no server ran is not attempted again', {}, 0],
  ['came after what failed while no server ran is attempted', { generation: 3 }, 1],
  ['never came to Helm is attempted', { stored: 2 }, 1],
  ['never came to Helm is attempted, also for a commit', { stored: 2, generation: 1, attempted: 1 }, 1],
  ['nobody attempted is attempted', { phase: 'Failed' }, 1],
])('[X-FAIL-1, X-FAIL-2] what a HelmRelease wants and %s', async (_title, left, upgrades) => {
  const harness = new Harness({ given: failedWorld(left) });
  await harness.prepare();
  for (const _ of [1, 2]) await harness.play({ do: 'tick' });
  expect(harness.actions.filter((action) => action.do === 'upgrade')).toHaveLength(upgrades);
});
