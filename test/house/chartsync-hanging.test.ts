import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository, STUCK_HOOK } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const JOB = { apiVersion: 'batch/v1', kind: 'Job' };

async function decide(house: ChartHouse, name: string, verb: ReleaseVerb, more: object = {}): Promise<string> {
  const uid = (await house.get(KINDS.fluxHelmRelease, name))?.metadata.uid;
  const spec = {
    releaseRef: { kind: 'FluxHelmRelease', name, uid },
    verb,
    actor: { user: 'ada', groups: ['system:masters'] },
    reason: 'look first',
    ...more,
  };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: `${name}-`, namespace: 'pay' },
    spec,
  });
  return metadata.name ?? '';
}

async function answerTo(house: ChartHouse, decision: string, awaited: 'at' | 'finishedAt' = 'at'): Promise<string> {
  const status = async () => (await house.get(KINDS.releaseDecision, decision))?.status;
  const isDone = async () => {
    const now = await status();
    return readString(now, 'phase') === 'Rejected' || readString(now, awaited) !== undefined;
  };
  await until(`${decision} is answered`, isDone);
  return `${readString(await status(), 'phase')}: ${readString(await status(), 'message')}`;
}

const replicasOf = async (house: ChartHouse, name: string) =>
  readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
const isStuck = async (house: ChartHouse) => (await house.get(JOB, 'pay-ledger-hook')) !== undefined;

describe('a Helm that hangs', () => {
  it('[issue 12.1] keeps nobody waiting who decides about another release, nor who holds this one', async () => {
    const repository = new ChartRepository();
    for (const name of ['ledger', 'books']) repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    for (const name of ['ledger', 'books']) {
      await house.declare(name, { chartGitPath: name, values: { replicas: 1 } });
      await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 1);
    }
    await house.declare('books', { chartGitPath: 'books', values: { replicas: 2 } });
    await until('books has a second revision', () => house.tell('books')?.lastAct?.storedRevision === 2);

    // What a person lets go on runs a Helm that does not end.
    await answerTo(house, await decide(house, 'ledger', 'hold'));
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3, stuck: true } });
    await until('the hold is told', () => house.tell('ledger')?.state === 'held');
    const lift = await decide(house, 'ledger', 'lift', { seen: { hold: house.tell('ledger')?.hold?.decision } });
    await until('its hook waits', () => isStuck(house));
    expect(await answerTo(house, lift)).toMatch(/^Accepted/);

    const back = await decide(house, 'ledger', 'rollback', { revision: 1, seen: { stored: 2 } });
    expect(await answerTo(house, await decide(house, 'books', 'sync'))).toMatch(/^Accepted/);
    expect(await answerTo(house, await decide(house, 'books', 'rollback', { revision: 1, seen: { stored: 2 } }), 'finishedAt')).toMatch(
      /^Accepted: Helm rolled back to revision 1/,
    );
    expect(await replicasOf(house, 'books')).toBe(1);
    expect(await answerTo(house, await decide(house, 'ledger', 'hold'))).toMatch(/^Accepted/);
    expect(await isStuck(house)).toBe(true);
    expect(readString((await house.get(KINDS.releaseDecision, back))?.status, 'phase')).toBeUndefined();

    await house.cluster.patch({ ...JOB, namespace: 'pay', name: 'pay-ledger-hook' }, { type: 'merge', body: { spec: { suspend: false } } });
    await until('what hung is done', async () => (await replicasOf(house, 'ledger')) === 3);
    // Alone on the release, it goes by what is stored by then.
    expect(await answerTo(house, back, 'finishedAt')).toMatch(/^Accepted: Helm rolled back to revision 1|^Rejected/);
  });

  it('[issue 12.1] on a release of the base kind keeps no other from its commits, its checks and its changes, and goes on with the chart it was given', async () => {
    const repository = new ChartRepository();
    for (const name of ['ledger', 'books']) repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    for (const name of ['ledger', 'books']) {
      await house.declare(name, { chartGitPath: name, values: { replicas: 1 } });
      await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 1);
    }
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2, stuck: true } });
    await until('its hook waits', () => isStuck(house));
    const commit = repository.commitChart('books', { 'values.yaml': 'replicas: 1\nnote: two\n' });
    await until('the other one is at the commit', () => house.tell('books')?.revision === commit, 30_000);
    await house.declare('books', { chartGitPath: 'books', values: { replicas: 3 } });
    await until('it is changed', async () => (await replicasOf(house, 'books')) === 3, 30_000);
    expect([house.tell('ledger')?.state, await isStuck(house)]).toEqual(['changing', true]);
    await house.cluster.patch({ ...JOB, namespace: 'pay', name: 'pay-ledger-hook' }, { type: 'merge', body: { spec: { suspend: false } } });
    await until('the one that hung goes on', async () => (await replicasOf(house, 'ledger')) === 2);
    await until('it is compared with the newest commit', () => house.tell('ledger')?.revision === commit, 30_000);
  });

  it('[issue 12.1] keeps no other release from its commits and its checks', async () => {
    const repository = new ChartRepository();
    for (const name of ['ledger', 'books']) repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const chart = (name: string) => ({ git: repository.url, ref: 'main', path: `charts/${name}` });
    for (const name of ['ledger', 'books']) {
      await house.declare(name, { chart: chart(name), values: { replicas: 1 } }, KINDS.helmRelease);
      await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 1);
    }
    await house.declare('ledger', { chart: chart('ledger'), values: { replicas: 2, stuck: true } }, KINDS.helmRelease);
    await until('its hook waits', () => isStuck(house));
    const checked = () => house.tell('books', KINDS.helmRelease)?.reconciles.find(({ by }) => by === 'schedule')?.at ?? 0;
    const since = Date.now();
    await until('the other one is checked', () => checked() > since);
    const commit = repository.commitChart('books', { 'values.yaml': 'replicas: 1\nnote: two\n' });
    await until('the other one is at the next commit', () => house.tell('books', KINDS.helmRelease)?.revision === commit);
    expect([house.tell('ledger', KINDS.helmRelease)?.state, await isStuck(house)]).toEqual(['changing', true]);
    await house.cluster.patch({ ...JOB, namespace: 'pay', name: 'pay-ledger-hook' }, { type: 'merge', body: { spec: { suspend: false } } });
    await until('the one that hung goes on', async () => (await replicasOf(house, 'ledger')) === 2);
  });

  it('[issue 12.1] takes every turn together with another, and keeps no release from being compared; what waits says behind whom, and can be cancelled', async () => {
    const repository = new ChartRepository();
    const names = ['ledger', 'books', 'cash'];
    for (const name of names) repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
    await using house = await openChartHouse(repository, { intervalMs: 1000, alwaysCompare: true });
    for (const name of names) {
      await house.declare(name, { chartGitPath: name, values: { replicas: 1 } });
      await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 1);
    }
    for (const name of ['ledger', 'books']) {
      await house.declare(name, { chartGitPath: name, values: { replicas: 2, stuck: true } });
      await until(`the hook of ${name} waits`, async () => (await house.get(JOB, `pay-${name}-hook`)) !== undefined);
    }
    const before = await house.looks('schedule', 'equal');
    await until('the third is compared', async () => (await house.looks('schedule', 'equal')) > before, 30_000);
    await house.declare('cash', { chartGitPath: 'cash', values: { replicas: 2 } });
    await until('its upgrade waits', () => house.tell('cash')?.says.id === 'state.turn');
    expect(house.tell('cash')).toMatchObject({
      state: 'changing',
      says: { command: 'upgrade', behind: [{ release: 'pay/pay-ledger', command: 'upgrade' }, { release: 'pay/pay-books' }], others: 0 },
      upgrade: { id: 'state.turn' },
    });
    expect(await answerTo(house, await decide(house, 'cash', 'cancel'), 'finishedAt')).toMatch(/^Accepted: helm upgrade was stopped/);
    expect(house.tell('cash')?.work).toMatchObject({ isWaiting: false, until: expect.any(Number) });
    expect(await replicasOf(house, 'cash')).toBe(1);
    for (const name of ['ledger', 'books'])
      await house.cluster.patch(
        { ...JOB, namespace: 'pay', name: `pay-${name}-hook` },
        { type: 'merge', body: { spec: { suspend: false } } },
      );
    for (const name of ['ledger', 'books']) await until(`${name} goes on`, async () => (await replicasOf(house, name)) === 2, 60_000);
  });
});
