import { describe, expect, it } from 'vitest';
import { toReleaseKindRef } from '@/lib/contract/release-kind';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';
import { approve, decide, greeting, leave, says, short, textOf, waitingOf } from './gated-release';

const APPROVALS = 'slipway.dev/approvals';
const GROUPS = 'slipway.dev/approval-groups';

const replicas = async (house: ChartHouse) => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');
/** Declares the release with annotations, or changes them. */
async function annotate(
  house: ChartHouse,
  annotations: Readonly<Record<string, string>>,
  spec: object = { chartGitPath: 'ledger', values: { replicas: 2 } },
) {
  const found = await house.get(KINDS.fluxHelmRelease, 'ledger');
  const metadata = { namespace: 'pay', name: 'ledger', annotations };
  if (found === undefined) await house.cluster.create({ ...KINDS.fluxHelmRelease, metadata, spec });
  else await house.cluster.update({ ...found, metadata: { ...found.metadata, annotations } });
}

/** Leaves an approval of what waits as a process does that is killed once it has answered. */
async function leaveAnswered(house: ChartHouse, type: TypeRef) {
  const [waiting, uid] = [waitingOf(house, type), (await house.get(type, 'ledger'))?.metadata.uid];
  const about = {
    releaseRef: { ...toReleaseKindRef(type), name: 'ledger', uid },
    commit: waiting?.commit,
    seen: { chart: waiting?.chart },
  };
  const spec = { ...about, verb: 'approve', actor: { user: 'ada', groups: [] } };
  const made = await house.cluster.create({ ...KINDS.releaseDecision, metadata: { name: 'answered', namespace: 'pay' }, spec });
  const status = { phase: 'Accepted', at: new Date().toISOString(), message: 'approved' };
  await house.cluster.update({ ...made, status }, { subresource: 'status' });
}

describe('commits of a gated release', () => {
  it('[issue 12.1] install nothing before the first approval, go to exactly the commit that enough people approved, and wait one by one', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(greeting('one')), 'greet once');
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await annotate(house, { [APPROVALS]: '2' });
    await until('the first commit waits', () => waitingOf(house)?.commit === first);
    expect(house.tell('ledger')).toMatchObject({
      state: 'waiting',
      gate: { required: 2, waiting: { subject: 'greet once', author: 'Ada' } },
    });
    const { since } = waitingOf(house) ?? {};
    await until('the schedule passed it over', async () => (await house.looks('schedule', 'gated')) > 0);
    const seen = waitingOf(house);
    expect([seen?.since === since, since]).toEqual([true, expect.stringMatching(/^20\d\d-/)]); // whatever looks came after the one that found it

    expect(await approve(house, 'ada')).toBe('Accepted: 1 of 2 approvals');
    expect(await approve(house, 'ada')).toBe('Rejected: ada has already approved this, and that counts (1 of 2)');
    expect(await textOf(house)).toBeUndefined();
    // The head moves on; the approval names the commit that was seen, and the release goes there.
    const second = repository.commitChart('ledger', greeting('two'), 'greet twice');
    await until('the second commit waits', () => waitingOf(house)?.commit === second);
    const about = { commit: first, seen: { chart: seen?.chart } };
    expect(await decide(house, 'approve', { by: 'bob', ...about, seen: { chart: 'f'.repeat(40) } })).toBe(
      `Rejected: the chart in commit ${short(first)} has changed since it was reviewed; review it again`,
    );
    expect(await decide(house, 'approve', { by: 'bob', ...about })).toBe(
      `Accepted: approved by ada and bob: the release goes to commit ${short(first)}`,
    );
    await until('it is installed at the first commit', async () => (await textOf(house)) === 'one');

    // Neither the change pass nor the schedule nor the resource takes the second; a change of spec is released at the first.
    await until(
      'the schedule found it equal',
      async () => (await house.looks('schedule', 'unmoved')) + (await house.looks('schedule', 'equal')) > 1,
    );
    const [passed, stored] = [await house.looks('commit', 'gated'), house.tell('ledger')?.lastAct?.storedRevision];
    const third = repository.commitChart('ledger', greeting('three'), 'greet thrice');
    await until('the change pass passed it over', async () => (await house.looks('commit', 'gated')) > passed);
    expect(house.tell('ledger')?.lastAct?.storedRevision).toBe(stored);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 5 } });
    await until('the spec is released', async () => (await replicas(house)) === 5);
    expect([await textOf(house), house.tell('ledger')?.lastAct?.revision]).toEqual(['one', first]);

    await until('the third commit waits', () => waitingOf(house)?.commit === third);
    expect(await approve(house, 'ada')).toBe('Accepted: 1 of 2 approvals');
    expect(await approve(house, 'carol')).toBe(`Accepted: approved by ada and carol: the release goes to commit ${short(third)}`);
    await until('it is at the third commit', async () => (await textOf(house)) === 'three');
    await until('nothing waits', () => house.tell('ledger')?.gate?.waiting === null);
    const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('releasedecisions.'));
    const uid = (await house.get(KINDS.fluxHelmRelease, 'ledger'))?.metadata.uid;
    const kept = await house.get(KINDS.releaseDecision, `gate-${uid}`);
    expect(definition && kept && unlistedFields(definition, kept)).toEqual([]);
  });

  it('[issue 12.1] are never taken back by an approval, but where the branch itself went back', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(greeting('one')));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await annotate(house, { [APPROVALS]: '1' });
    const waits = (commit: string) => until(`${short(commit)} waits`, () => waitingOf(house)?.commit === commit);
    await waits(first);
    expect(await approve(house, 'ada')).toContain('Accepted');
    const second = repository.commitChart('ledger', greeting('two'));
    await waits(second);
    const seen = { chart: waitingOf(house)?.chart };
    const third = repository.commitChart('ledger', greeting('three'));
    await waits(third);
    expect(await approve(house, 'ada')).toContain('Accepted');
    await until('it is at the third commit', async () => (await textOf(house)) === 'three');
    await waits(repository.commitChart('ledger', greeting('four')));
    expect(await decide(house, 'approve', { by: 'bob', commit: second, seen })).toBe(
      `Rejected: commit ${short(second)} does not contain commit ${short(third)}, the last one approved; to go back, roll back the release`,
    );
    expect([house.tell('ledger')?.gate?.approved?.commit, await textOf(house)]).toEqual([third, 'three']);
    repository.push(second);
    await waits(second);
    expect(await approve(house, 'bob')).toContain('Accepted');
    await until('it is at the second commit', async () => (await textOf(house)) === 'two');
  });

  it('[issue 12.1] stay where they are when the branch loses them, and cannot be approved there', async () => {
    const repository = new ChartRepository();
    const base = repository.commitChart('ledger', aChart(greeting('one')));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await annotate(house, { [APPROVALS]: '1' });
    const good = repository.commitChart('ledger', greeting('two'));
    await until('it waits', () => waitingOf(house)?.commit === good);
    expect(await approve(house, 'ada')).toContain('the release goes to commit');
    await until('it is installed', async () => (await textOf(house)) === 'two');
    const bad = repository.commitChart('ledger', greeting('three'));
    await until('the next waits', () => waitingOf(house)?.commit === bad);
    const chart = waitingOf(house)?.chart;
    // The branch is taken back before both: what is released stays, by a ref of the mirror's own, and what was not approved yet cannot be.
    repository.push(base);
    await until('the branch is taken back', () => waitingOf(house)?.commit === base);
    expect(await decide(house, 'approve', { by: 'ada', commit: bad, seen: { chart } })).toBe(
      `Rejected: the branch does not contain commit ${short(bad)}`,
    );
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 4 } });
    await until('the spec is released at the commit that is kept', async () => (await replicas(house)) === 4);
    expect(await textOf(house)).toBe('two');
    expect(house.tell('ledger')?.gate).toMatchObject({ approved: { commit: good }, lost: null, gone: good });
    const gone = `the branch no longer contains commit ${short(good)}, which the release is at; it stays there until another commit is approved`;
    await until('that is told', () => says(house) === gone);
    const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('releasedecisions.'));
    const kept = await house.get(KINDS.releaseDecision, `gate-${(await house.get(KINDS.fluxHelmRelease, 'ledger'))?.metadata.uid}`);
    expect(definition && kept && unlistedFields(definition, kept)).toEqual([]);
    repository.push(bad);
    await until('the branch has it again', () => house.tell('ledger')?.gate?.gone === null && says(house) !== gone);
  });

  it('[issue 12.1] want approval as soon as their namespace asks for it, long before the next check', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart(greeting('one')));
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    await annotate(house, {});
    await until('it is installed', async () => (await textOf(house)) === 'one');
    const home = await house.cluster.get({ ...KINDS.namespace, name: 'pay' });
    await house.cluster.update({ ...home, metadata: { ...home.metadata, annotations: { [APPROVALS]: '2', [GROUPS]: 'sre' } } });
    await until('it is gated', () => house.tell('ledger')?.gate?.required === 2);
    expect(house.tell('ledger')?.gate?.groups).toEqual([['sre']]);
  });

  it('[issue 12.1] want what is stricter until as many people as that needs agree to less', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart(greeting('one')));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const home = await house.cluster.get({ ...KINDS.namespace, name: 'pay' });
    await house.cluster.update({ ...home, metadata: { ...home.metadata, annotations: { [APPROVALS]: '1', [GROUPS]: 'sre' } } });
    await annotate(house, { [APPROVALS]: '2' });
    await until('both count', () => house.tell('ledger')?.gate?.required === 2);
    expect(house.tell('ledger')?.gate?.groups).toEqual([['sre']]);
    expect(await approve(house, 'eve')).toBe('Rejected: eve may not approve this: it requires a member of sre');

    await annotate(house, {});
    await until('less is asked for', () => house.tell('ledger')?.gate?.wanted?.required === 1);
    expect(house.tell('ledger')?.gate?.required).toBe(2);
    expect(await approve(house, 'ada', { groups: ['sre'] })).toBe('Accepted: 1 of 2 approvals');
    const looser = { reason: 'a quiet week', seen: { gate: house.tell('ledger')?.gate?.loosening } };
    expect(await decide(house, 'loosen', { by: 'eve', ...looser })).toContain('Rejected: eve may not');
    expect(await decide(house, 'loosen', { by: 'ada', groups: ['sre'], ...looser, seen: { gate: 'another' } })).toContain(
      'Rejected: the policy in force or the requested one has changed since it was seen; review it again',
    );
    expect(await decide(house, 'loosen', { by: 'ada', groups: ['sre'], ...looser })).toBe('Accepted: 1 of 2 approvals');
    // Withdrawn and requested again: what was decided about the former request counts no more, and made again neither.
    await annotate(house, { [APPROVALS]: '2' });
    await until('the request is withdrawn', () => house.tell('ledger')?.gate?.wanted === null);
    await annotate(house, {});
    await until('less is asked for again', () => house.tell('ledger')?.gate?.wanted?.required === 1);
    expect(await decide(house, 'loosen', { by: 'ada', groups: ['sre'], ...looser })).toContain(
      'Rejected: the policy in force or the requested one',
    );
    const later = { reason: 'a quiet week', seen: { gate: house.tell('ledger')?.gate?.loosening } };
    expect(await decide(house, 'loosen', { by: 'ada', groups: ['sre'], ...later })).toBe('Accepted: 1 of 2 approvals');
    expect(await decide(house, 'loosen', { by: 'bob', groups: ['sre'], ...later })).toBe(
      'Accepted: approved by ada and bob: the looser policy is in force',
    );
    await until('one is enough', () => house.tell('ledger')?.gate?.required === 1);
    expect(await textOf(house)).toBeUndefined();
    expect(await approve(house, 'bob', { groups: ['sre'] })).toContain('approved by ada and bob');
    await until('it is installed', async () => (await textOf(house)) === 'one');
    await annotate(house, { [APPROVALS]: 'two' });
    await until('a number that is none is told', () => house.tell('ledger')?.state === 'failed');
    expect(house.tell('ledger')?.says).toMatchObject({
      why: 'annotation slipway.dev/approvals of FluxHelmRelease ledger in pay must be a number from 0 to 20, found "two"',
    });
  });

  it.each([KINDS.helmRelease, KINDS.olderHelmRelease])(
    '[issue 12.1] hold for the $kind of $apiVersion as well, and lose no approval with the process that answered it and did nothing yet',
    async (type) => {
      const repository = new ChartRepository();
      const first = repository.commitChart('ledger', aChart(greeting('one')));
      let mayAct = true;
      await using house = await openChartHouse(repository, { intervalMs: 1000, approvals: 1 }, { mayAct: () => mayAct });
      await house.declare('ledger', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values: { replicas: 2 } }, type);
      await until('the first commit waits', () => waitingOf(house, type)?.commit === first);
      expect(house.tell('ledger', type)?.state).toBe('waiting');
      expect(await approve(house, 'ada', {}, type)).toContain('the release goes to commit');
      await until('it is installed', async () => (await textOf(house)) === 'one');
      const second = repository.commitChart('ledger', greeting('two'));
      await until('the second commit waits', () => waitingOf(house, type)?.commit === second);
      const before = await house.looks('schedule', 'unmoved');
      await until('the schedule left it', async () => (await house.looks('schedule', 'unmoved')) > before);
      expect(await textOf(house)).toBe('one');
      mayAct = false;
      await leaveAnswered(house, type);
      mayAct = true;
      await until('it is upgraded', async () => (await textOf(house)) === 'two');
      expect(house.tell('ledger', type)?.gate?.approved).toMatchObject({ commit: second, by: ['ada'] });
    },
  );

  it.each([KINDS.helmRelease, KINDS.olderHelmRelease])(
    '[issue 12.1] leave a HelmRelease of $apiVersion to its branch at once when the gate goes, long before the next fetch',
    async (type) => {
      const repository = new ChartRepository();
      const first = repository.commitChart('ledger', aChart(greeting('one')));
      await using house = await openChartHouse(repository, { intervalMs: 3_600_000, pollMs: 3_600_000 });
      const spec = { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } };
      await house.cluster.create({ ...type, metadata: { namespace: 'pay', name: 'ledger', annotations: { [APPROVALS]: '1' } }, spec });
      await until('the first commit waits', () => waitingOf(house, type)?.commit === first);
      expect(await approve(house, 'ada', {}, type)).toContain('the release goes to commit');
      await until('it is installed', async () => (await textOf(house)) === 'one');
      const second = repository.commitChart('ledger', greeting('two'));
      await leave(house, 'sync', { type });
      await until('the second commit waits', () => waitingOf(house, type)?.commit === second);
      const found = await house.get(type, 'ledger');
      if (found) await house.cluster.update({ ...found, metadata: { ...found.metadata, annotations: {} } });
      await until('less is asked for', () => house.tell('ledger', type)?.gate?.wanted?.required === 0);
      const looser = { reason: 'a quiet week', seen: { gate: house.tell('ledger', type)?.gate?.loosening } };
      expect(await decide(house, 'loosen', { by: 'ada', type, ...looser })).toContain('the looser policy is in force');
      await until('it follows its branch', async () => (await textOf(house)) === 'two');
    },
  );
});
