import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';
import { approve, decide, greeting, leave, short, textOf, waitingOf } from './gated-release';

const ADA = { user: 'ada', groups: [] };
const CANARY = 'canary-7781-of-a-secret';
const at = (type: TypeRef, name: string) => ({ ...type, namespace: 'pay', name, release: { namespace: 'pay', name: `pay-${name}` } });
const readerOf = ({ reading }: ChartHouse) => createReleaseReader(reading);
const later = (repository: ChartRepository, more: object = {}) => ({
  chart: { git: repository.url, ref: 'main', path: 'charts/ledger' },
  ...more,
});
const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: ledger-key }\nstringData: { token: "{{ .Values.token }}" }\n';
const seen = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ledger-url }\ndata: { url: "https://a:{{ .Values.token }}@b" }\n';

describe('the commits of a chart', () => {
  it('[issue 12.4] are told as taken or waiting, each with what it would make of the release, and nothing is done', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(), 'ledger: begin');
    repository.commitChart('other', aChart({}, 'other'), 'other: begin');
    // Nothing is looked at by itself while the test runs.
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    await house.declare('ledger', later(repository, { values: { replicas: 2 } }), KINDS.helmRelease);
    await until('it is installed', () => house.tell('ledger', KINDS.helmRelease)?.lastAct?.storedRevision === 1);
    const hold = {
      releaseRef: { kind: 'HelmRelease', name: 'ledger', uid: house.tell('ledger', KINDS.helmRelease)?.uid },
      verb: 'hold',
      reason: 'r',
    };
    const spec = { ...hold, actor: { user: 'ada', groups: [] } };
    await house.cluster.create({ ...KINDS.releaseDecision, metadata: { generateName: 'ledger-', namespace: 'pay' }, spec });
    await until('it is held', () => house.tell('ledger', KINDS.helmRelease)?.hold != null);
    const map =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ledger-greeting }\ndata: { text: hello, id: "{{ randAlphaNum 12 }}" }\n';
    const named = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "ledger-{{ randAlphaNum 8 | lower }}" }\n';
    const second = repository.commitChart('ledger', { 'templates/greeting.yaml': map, 'templates/named.yaml': named }, 'ledger: greet');
    await using reader = readerOf(house);
    const ledger = at(KINDS.helmRelease, 'ledger');
    await until('it was fetched', async () => (await reader.commits(ledger, ADA)).head === second);
    expect(await reader.commits(ledger, ADA)).toMatchObject({
      more: false,
      why: null,
      commits: [
        { commit: second, subject: 'ledger: greet', author: 'Ada', state: 'waiting' },
        { commit: first, subject: 'ledger: begin', state: 'taken' },
      ],
    });
    const told = await reader.compareCommit(ledger, { commit: second, maySeeValues: true });
    expect(told).toMatchObject({
      from: 1,
      commit: second,
      valuesDiffer: false,
      objects: [{ kind: 'ConfigMap', name: 'ledger-greeting', change: 'created' }],
      nondeterministic: [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: null, paths: [] }],
    });
    expect(JSON.stringify(told.objects)).toMatch(/id: \(different each time\)/);
    expect(await reader.compareCommit(ledger, { commit: first, maySeeValues: true })).toMatchObject({ objects: [], values: [] });
    expect((await reader.readHistory({ namespace: 'pay', name: 'pay-ledger' })).map(({ revision }) => revision)).toEqual([1]);
    // Who looks is not told as work on the release, which somebody could stop.
    expect(house.tell('ledger', KINDS.helmRelease)?.work).toMatchObject({ command: 'install' });
    await expect(reader.compareCommit(ledger, { commit: 'f'.repeat(40), maySeeValues: true })).rejects.toThrow(
      'the repository of the chart has no commit ffffffff',
    );
    expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'ledger-greeting')).toBeUndefined();

    // The commit that it was brought to is in no mirror any more.
    const other = new ChartRepository(repository.folder);
    const begun = other.commitChart('ledger', aChart(), 'ledger: begin elsewhere');
    await house.declare('ledger', later(other, { values: { replicas: 2 } }), KINDS.helmRelease);
    const read = () => reader.commits(ledger, ADA).catch(() => undefined);
    await until('the other repository is read', async () => (await read())?.head === begun);
    const untold = await reader.commits(ledger, ADA);
    expect(untold.commits.map(({ state }) => state)).toEqual(['unknown']);
    expect(untold.why).toMatch(/^fatal: /);
  });

  it('[design 8] tell no value of a Secret, and are all new where nothing is stored yet', async () => {
    const repository = new ChartRepository();
    const commit = repository.commitChart('ledger', aChart({ 'templates/key.yaml': secret, 'templates/url.yaml': seen }), 'ledger: begin');
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000, approvals: 1 });
    const values = { 'values.yaml': Buffer.from(`token: ${CANARY}\n`).toString('base64') };
    await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'token' }, data: values });
    const from = [{ secretKeyRef: { name: 'token', key: 'values.yaml' } }];
    await house.declare('ledger', later(repository, { valuesFrom: from, values: { replicas: 2 } }), KINDS.helmRelease);
    await until('its commit waits', () => house.tell('ledger', KINDS.helmRelease)?.gate?.waiting?.commit === commit);
    await using reader = readerOf(house);
    const told = await reader.compareCommit(at(KINDS.helmRelease, 'ledger'), { commit, maySeeValues: true });
    expect(told).toMatchObject({ from: null, hidesValues: true, valuesDiffer: true });
    expect(told.objects.map(({ kind, change }) => `${change} ${kind}`).sort()).toEqual([
      'created ConfigMap',
      'created Deployment',
      'created Secret',
    ]);
    expect(JSON.stringify(told)).toContain('https://••••••••@b');
    expect((await reader.commits(at(KINDS.helmRelease, 'ledger'), ADA)).commits.map(({ state }) => state)).toEqual(['waiting']);
    for (const text of [CANARY, Buffer.from(CANARY).toString('base64')]) expect(JSON.stringify([told, house.lines])).not.toContain(text);
  });

  it('[issue 12.4] are told by the base kind as well, where its chart does not render with the sentence of Helm', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(), 'ledger: begin');
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    const broken = repository.commitChart('ledger', { 'templates/broken.yaml': '{{ fail "no such thing" }}' }, 'ledger: break it');
    await until('it failed', () => house.tell('ledger')?.state === 'failed');
    await using reader = readerOf(house);
    const ledger = at(KINDS.fluxHelmRelease, 'ledger');
    expect((await reader.commits(ledger, ADA)).commits.map(({ commit, state }) => [commit, state])).toEqual([
      [broken, 'waiting'],
      [first, 'taken'],
    ]);
    await expect(reader.compareCommit(ledger, { commit: broken, maySeeValues: true })).rejects.toThrow('no such thing');
    expect(await reader.compareCommit(ledger, { commit: first, maySeeValues: false })).toMatchObject({
      objects: [],
      hidesValues: true,
      notes: null,
    });
  });

  it('[issue 12.1] tell of each that waits for approval what it has and whether one of whoever asks would count, as the engine answers it', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(greeting('one')), 'greet once');
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
    const metadata = {
      namespace: 'pay',
      name: 'ledger',
      annotations: { 'slipway.dev/approvals': '2', 'slipway.dev/approval-groups': 'ops' },
    };
    await house.cluster.create({ ...KINDS.fluxHelmRelease, metadata, spec: { chartGitPath: 'ledger', values: { replicas: 2 } } });
    const ops = { groups: ['ops'] };
    await until('the first commit waits', () => waitingOf(house)?.commit === first);
    expect(await approve(house, 'ada', ops)).toBe('Accepted: 1 of 2 approvals');
    const second = repository.commitChart('ledger', greeting('two'), 'greet twice');
    const third = repository.commitChart('ledger', greeting('three'), 'greet thrice');
    await until('the third commit waits', () => waitingOf(house)?.commit === third);
    await using reader = readerOf(house);
    const ledger = at(KINDS.fluxHelmRelease, 'ledger');
    const told = async (user: string, groups: readonly string[] = ['ops']) => {
      const { commits } = await reader.commits(ledger, { user, groups: [...groups] });
      return commits.map(({ commit, approval }) => [
        commit,
        approval && formatRelease(approval.given),
        approval?.why && formatRelease(approval.why),
      ]);
    };
    const [none, one] = ['0 of 2 approvals by members of ops', '1 of 2 approvals: ada; needs 1 more by a member of ops'];
    await until('her approval is in the copies', async () => (await told('ada'))[2]?.[1] === one);
    expect(await told('ada')).toEqual([
      [third, none, null],
      [second, none, null],
      [first, one, 'ada has already approved this, and that counts (1 of 2)'],
    ]);
    const refused = 'eve may not approve this: it requires a member of ops';
    expect((await told('eve', ['dev'])).map(([, , why]) => why)).toEqual([refused, refused, refused]);

    // Nobody approved the second yet, and it is not the newest: what is named of it is what the engine takes.
    const { chart } = await reader.approvable(ledger, { commit: second, actor: { user: 'bob', ...ops } });
    expect(await decide(house, 'approve', { by: 'bob', ...ops, commit: second, seen: { chart } })).toBe('Accepted: 1 of 2 approvals');
    expect(await decide(house, 'approve', { by: 'ada', ...ops, commit: second, seen: { chart } })).toContain('the release goes to commit');
    await until('it is there', async () => (await textOf(house)) === 'two');
    await until('the first is told as released', async () => (await told('ada'))[2]?.[1] === undefined);
    expect(await told('ada')).toEqual([
      [third, none, null],
      [second, undefined, undefined],
      [first, undefined, undefined],
    ]);
    const back = await reader.approvable(ledger, { commit: first, actor: { user: 'carol', ...ops } });
    expect(back.why && formatRelease(back.why)).toBe(
      `commit ${short(first)} does not contain commit ${short(second)}, the last one approved; to go back, roll back the release`,
    );
    await expect(reader.approvable(ledger, { commit: 'f'.repeat(40), actor: ADA })).rejects.toThrow('has no commit ffffffff');

    // While somebody holds it, what is approved is not released yet, and nothing before it can be approved any more.
    await leave(house, 'hold', { type: KINDS.fluxHelmRelease, reason: 'r' });
    await until('it is held', () => house.tell('ledger')?.hold != null);
    const fourth = repository.commitChart('ledger', greeting('four'), 'greet once more');
    await until('the fourth commit waits', () => waitingOf(house)?.commit === fourth);
    for (const by of ['ada', 'bob']) expect(await approve(house, by, ops)).toContain('Accepted');
    const [newest, before] = [
      `commit ${short(fourth)} is already approved`,
      `commit ${short(third)} does not contain commit ${short(fourth)}`,
    ];
    await until('it is told as approved', async () => (await told('ada'))[0]?.[2] === newest);
    expect((await told('ada'))[0]).toEqual([fourth, '2 of 2 approvals: ada and bob', newest]);
    expect((await told('ada'))[1]).toEqual([third, none, expect.stringContaining(before)]);
    await leave(house, 'lift', { type: KINDS.fluxHelmRelease, seen: { hold: house.tell('ledger')?.hold?.decision } });
    await until('it is at the fourth commit', async () => (await textOf(house)) === 'four');
    await until('that is told as released', async () => (await reader.commits(ledger, ADA)).commits[0]?.state === 'taken');
    expect((await told('ada'))[0]).toEqual([fourth, undefined, undefined]);
  });
});
