import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { revisionCauses } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

/** What the record tells of each stored revision. */
const behind = ({ recorded }: ChartHouse) => revisionCauses(recorded, { kind: 'FluxHelmRelease', name: 'ledger' });

it('[issue 12.4] tells of each stored revision the loop, the commit of the chart, and whose decision it was; the row tells it of the last', async () => {
  const repository = new ChartRepository();
  const first = repository.commitChart('ledger', aChart());
  await using house = await openChartHouse(repository);
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
  const chart = repository.commit({ 'charts/ledger/values.yaml': 'replicas: 2\n' }, 'raise the replicas');
  await until('the commit is released', () => house.tell('ledger')?.lastAct?.storedRevision === 2);
  expect(house.tell('ledger')).toMatchObject({
    commit: { commit: chart, subject: 'raise the replicas' },
    lastAct: { by: 'commit', users: [] },
  });

  // A commit that does not touch the chart moves the branch, and not what is released of the chart.
  const elsewhere = repository.commit({ 'README.md': 'hello\n' }, 'say hello');
  await until('the branch has moved', () => house.tell('ledger')?.reconciles[0]?.revision === elsewhere);
  expect(house.tell('ledger')).toMatchObject({ revision: elsewhere, commit: { commit: chart } });

  const uid = (await house.get(KINDS.fluxHelmRelease, 'ledger'))?.metadata.uid;
  const actor = { user: 'ada', groups: ['system:masters'] };
  const spec = {
    releaseRef: { kind: 'FluxHelmRelease', name: 'ledger', uid },
    verb: 'rollback',
    revision: 1,
    seen: { stored: 2 },
    reason: 'too slow',
    actor,
  };
  await house.cluster.create({ ...KINDS.releaseDecision, metadata: { generateName: 'ledger-', namespace: 'pay' }, spec });
  await until('it is rolled back', () => house.tell('ledger')?.lastAct?.storedRevision === 3);
  expect(house.tell('ledger')?.lastAct).toMatchObject({ by: 'decision', outcome: 'rolled-back', users: ['ada'] });

  const told = behind(house);
  expect(told.get(1)).toMatchObject({ outcome: 'installed', users: [], verb: null });
  expect(told.get(2)).toMatchObject({ by: 'a new commit', outcome: 'upgraded', commit: { commit: chart, subject: 'raise the replicas' } });
  expect(told.get(3)).toMatchObject({
    by: 'a decision',
    outcome: 'rolled-back',
    commit: { commit: first },
    users: ['ada'],
    verb: 'rollback',
    reason: 'too slow',
  });
  expect([...told.keys()].sort()).toEqual([1, 2, 3]);
});
