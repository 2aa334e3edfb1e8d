import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { createReleaseReader } from '@/server/chartsync';
import { isConflict, toPlanText } from '@/server/kube';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const CANARY = 'canary-9021-of-a-secret';
const config = (name: string, text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { text: "${text}" }\n`;
const encoded = (text: string) => Buffer.from(text).toString('base64');

/** A release of one of both kinds that is installed, and what somebody does to change it. */
async function openRelease(repository: ChartRepository, type: TypeRef, more: object = {}) {
  const house = await openChartHouse(repository, { intervalMs: 1000 });
  const reader = createReleaseReader(house.reading);
  const chart =
    type.kind === 'HelmRelease' ? { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } } : { chartGitPath: 'ledger' };
  await house.cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'pay', name: 'token' },
    data: { 'values.yaml': encoded('note: one\n') },
  });
  await house.declare('ledger', { ...chart, values: { replicas: 2 }, ...more }, type);
  await until('it is installed', () => house.tell('ledger', type)?.lastAct?.storedRevision === 1);
  const read = async () => (await house.get(type, 'ledger')) as KubeObject; // it is declared above
  return {
    house,
    reader,
    read,
    /** The resource with other values, as somebody is about to write it, and what that would do. */
    async preview(values: object) {
      const held = await read();
      const object = { ...held, spec: { ...(held.spec as object), values } };
      return {
        object,
        ...(await reader.plan({ object, held }, { release: { namespace: 'pay', name: 'pay-ledger' }, maySeeValues: true })).shown,
      };
    },
    /** Writes it with a plan, on whatever stands there by now. */
    async write({ spec }: Pick<KubeObject, 'spec'>, digest: string) {
      const act = `${Math.random()}`;
      await until('it is written', async () => {
        const now = await read();
        const annotations = { ...now.metadata.annotations, [PLAN.seen]: toPlanText(spec, { digest, act }) };
        try {
          await house.cluster.update({ ...now, spec, metadata: { ...now.metadata, annotations } });
          return true;
        } catch (error) {
          if (!isConflict(error)) throw error;
          return false; // the engine wrote a status in between
        }
      });
    },
    told: () => house.tell('ledger', type),
    stored: async () => (await reader.readHistory(house.tell('ledger', type)?.release ?? { namespace: '', name: '' }))[0]?.revision,
    [Symbol.asyncDispose]: async () => {
      await reader[Symbol.asyncDispose]();
      await house[Symbol.asyncDispose]();
    },
  };
}

const replicasOf = async ({ cluster }: ChartHouse) =>
  readField(await cluster.get({ ...KINDS.deployment, namespace: 'pay', name: 'pay-ledger' }), 'spec', 'replicas');

describe.each([KINDS.fluxHelmRelease, KINDS.helmRelease])('a change of a $kind that somebody previewed', (type) => {
  it('[issue 12.4] is released as it was shown, by exactly that, and is held to nothing afterwards', async () => {
    const repository = new ChartRepository();
    repository.commitChart(
      'ledger',
      aChart({ 'templates/old.yaml': `{{- if lt (int .Values.replicas) 3 }}\n${config('ledger-old', 'x')}{{- end }}\n` }),
    );
    await using release = await openRelease(repository, type);
    const { house, read } = release;
    const { object, plan, objects, from, nondeterministic } = await release.preview({ replicas: 3 });
    expect(objects.map(({ change, kind, name }) => `${change} ${kind} ${name}`)).toEqual([
      'deleted ConfigMap ledger-old',
      'changed Deployment pay-ledger',
    ]);
    expect([from, nondeterministic, await release.stored()]).toEqual([1, [], 1]);
    await release.write(object, plan);
    await until('it is released', () => release.told()?.lastAct?.storedRevision === 2);
    expect(await replicasOf(house)).toBe(3);
    expect((await read()).metadata.annotations?.[PLAN.seen]).toBeUndefined();
    expect(await house.get(CONFIG_MAP, 'ledger-old')).toBeUndefined();
    expect(house.recorded.filter(({ action }) => action.startsWith('plan.')).map(({ action }) => action)).toEqual(['plan.accepted']);
    repository.commitChart('ledger', { 'templates/more.yaml': config('ledger-more', 'x') });
    await until('the next commit is taken', async () => (await house.get(CONFIG_MAP, 'ledger-more')) !== undefined);
  });

  it('[issue 12.4] is not run once a commit moved the chart, by any loop, until somebody accepts what it would do now', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using release = await openRelease(repository, type);
    const { house } = release;
    const seen = await release.preview({ replicas: 3 });
    repository.commitChart('ledger', { 'templates/more.yaml': config('ledger-more', 'x') });
    await until(
      'the commit is released',
      async () => (await house.get(CONFIG_MAP, 'ledger-more')) !== undefined && (await release.stored()) === 2,
    );
    await release.write(seen.object, seen.plan);
    await until('it waits', () => release.told()?.state === 'moved');
    repository.commitChart('ledger', { 'templates/again.yaml': config('ledger-again', 'x') });
    const looks = () => release.told()?.reconciles.filter(({ outcome }) => outcome === 'plan-moved') ?? [];
    // What it would do now is told by its digest, and so is another one once the commit is there.
    const told = () => [new Set(looks().map(({ error }) => error)).size, looks().some(({ by }) => by === 'schedule')];
    await until('the periodic check looked at it, with that commit as well', () => JSON.stringify(told()) === '[2,true]');
    expect([await replicasOf(house), await release.stored(), await house.get(CONFIG_MAP, 'ledger-again')]).toEqual([2, 2, undefined]);
    expect(readField(await release.read(), 'status', 'planMoved')).toMatchObject({
      seen: seen.plan,
      message: expect.stringContaining('not what was previewed'),
    });

    const now = await release.preview({ replicas: 3 });
    expect(now.plan).not.toBe(seen.plan);
    await release.write(now.object, now.plan);
    await until(
      'it is released as accepted',
      async () => (await replicasOf(house)) === 3 && (await house.get(CONFIG_MAP, 'ledger-again')) !== undefined,
    );
    await until(
      'nothing waits any more',
      async () => release.told()?.outdatedPlan === null && readField(await release.read(), 'status', 'planMoved') === undefined,
    );
    expect(await release.stored()).toBe(3);
  });
});

describe('what is part of the promise', () => {
  it('[issue 12.4] are values that come from elsewhere, none of which is told, and not what the chart makes up each time', async () => {
    const repository = new ChartRepository();
    const key =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ledger-key }\ndata: { token: "{{ randAlphaNum 24 }}", note: "{{ .Values.note }}" }\n';
    const job = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "ledger-{{ randAlphaNum 6 | lower }}" }\ndata: {}\n';
    repository.commitChart('ledger', aChart({ 'templates/key.yaml': key, 'templates/job.yaml': job }));
    await using release = await openRelease(repository, KINDS.helmRelease, {
      valuesFrom: [{ secretKeyRef: { name: 'token', key: 'values.yaml' } }],
    });
    const { house } = release;
    const shown = await release.preview({ replicas: 3 });
    expect(shown.nondeterministic).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'ledger-key', paths: ['data.token'] },
      { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: null, paths: [] },
    ]);
    const other = { type: 'merge', body: { data: { 'values.yaml': encoded(`note: ${CANARY}\n`) } } } as const;
    await house.cluster.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: 'token' }, other);
    await until('the other values are released', async () => (await release.stored()) === 2);
    await release.write(shown.object, shown.plan);
    await until('it waits', () => release.told()?.state === 'moved');
    expect(await replicasOf(house)).toBe(2);
    const now = await release.preview({ replicas: 3 });
    expect(
      Object.entries(now.parts)
        .filter(([part, digest]) => shown.parts[part as keyof typeof shown.parts] !== digest)
        .map(([part]) => part),
    ).toEqual(expect.arrayContaining(['values', 'stored']));
    expect(JSON.stringify([now, house.tell('ledger', KINDS.helmRelease), house.recorded])).not.toContain(CANARY);
    await release.write(now.object, now.plan);
    await until('it is released', async () => (await replicasOf(house)) === 3);
  });
});
