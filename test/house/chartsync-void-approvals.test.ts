import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';
import { approve, greeting, leave, says, short, textOf, waitingOf } from './gated-release';

/** Nothing is fetched but where somebody asks for it. */
const NEVER_MS = 3_600_000;

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease],
  ['HelmRelease', KINDS.helmRelease],
] as const)(
  '[issue 12.1] approvals of a %s are void once the branch was seen without them before the release was there, whoever pushed that when',
  async (_kind, type) => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(greeting('one')));
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await using house = await openChartHouse(repository, { approvals: 1, pollMs: NEVER_MS, intervalMs: 1000 });
    const spec = { chartGitPath: 'ledger', chart, values: { replicas: 2 } };
    await house.cluster.create({ ...type, metadata: { namespace: 'pay', name: 'ledger' }, spec });
    const waits = (commit: string) => until(`${short(commit)} waits`, () => waitingOf(house, type)?.commit === commit);
    const fetch = () => leave(house, 'sync', { type });
    await waits(first);
    expect(await approve(house, 'ada', {}, type)).toContain('the release goes to commit');
    await until('it is installed', async () => (await textOf(house)) === 'one');

    // Somebody takes the branch back before it is approved, and nothing has fetched since: Helm does not begin.
    const second = repository.commitChart('ledger', greeting('two'));
    await fetch();
    await waits(second);
    repository.push(first);
    expect(await approve(house, 'ada', {}, type)).toContain(`the release goes to commit ${short(second)}`);
    const isVoid = `the approval of commit ${short(second)} is void, since the branch no longer contains it; the release stays as it is, and another commit needs 1 approval`;
    await until('it is void', () => says(house, type) === isVoid);
    expect([house.tell('ledger', type)?.state, house.tell('ledger', type)?.gate?.lost]).toEqual(['waiting', second]);

    // It does not count again where the commit comes back: it waits like any other.
    repository.push(second);
    await fetch();
    await waits(second);
    expect(await textOf(house)).toBe('one');
    expect(await approve(house, 'bob', {}, type)).toContain('the release goes to commit');
    await until('it is there', async () => (await textOf(house)) === 'two');
    const attempts = house.recorded.filter(({ data }) => data?.revision === second).map(({ message }) => message);
    expect(attempts.join()).toContain(`the approval of commit ${short(second)} is void, since the branch no longer contains it`);
  },
);

it.each([
  ['FluxHelmRelease', KINDS.fluxHelmRelease],
  ['HelmRelease', KINDS.helmRelease],
] as const)(
  '[issue 12.1] approvals of a %s that somebody holds are void as well where the branch lost them meanwhile, and what it is at is told as gone',
  async (_kind, type) => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(greeting('one')));
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await using house = await openChartHouse(repository, { approvals: 1, intervalMs: 1000 });
    await house.cluster.create({
      ...type,
      metadata: { namespace: 'pay', name: 'ledger' },
      spec: { chartGitPath: 'ledger', chart, values: { replicas: 2 } },
    });
    const waits = (commit: string) => until(`${short(commit)} waits`, () => waitingOf(house, type)?.commit === commit);
    const second = repository.commitChart('ledger', greeting('two'));
    await waits(second);
    expect(await approve(house, 'ada', {}, type)).toContain('the release goes to commit');
    await until('it is installed', async () => (await textOf(house)) === 'two');
    const third = repository.commitChart('ledger', greeting('three'));
    await waits(third);
    await leave(house, 'hold', { reason: 'a freeze', type });
    await until('it is held', () => house.tell('ledger', type)?.reconciles[0]?.outcome === 'held');
    expect(await approve(house, 'ada', {}, type)).toContain('the release goes to commit');
    await until('nothing waits', () => waitingOf(house, type) === undefined);
    repository.push(first);
    await until('it is void', () => house.tell('ledger', type)?.gate?.lost === third);
    await until('what it is at is told as gone', () =>
      says(house, type).endsWith(`: a freeze; the branch no longer contains commit ${short(second)}, which the release is at`),
    );
    await leave(house, 'lift', { type, seen: { hold: house.tell('ledger', type)?.hold?.decision } });
    await until('that is told', () => says(house, type).startsWith(`the approval of commit ${short(third)} is void`));
    await until('it was looked at since', () => house.tell('ledger', type)?.reconciles[0]?.outcome === 'gated');
    expect([await textOf(house), (await house.get(type, 'ledger'))?.status]).toMatchObject(['two', { lastAct: { revision: second } }]);
    expect(house.recorded.map(({ data }) => data?.revision)).not.toContain(third);
  },
);
