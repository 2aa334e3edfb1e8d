import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { createReleaseReader } from '@/server/chartsync';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const ADA = { user: 'ada', groups: [] };
const CANARY = 'canary-3357-of-a-secret';
const LEDGER = { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger', release: { namespace: 'pay', name: 'pay-ledger' } };
const config = (name: string, text: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { text: "${text}" }\n`;
const policy = `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: ledger }\nspec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] }\n`;
const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: ledger-key }\nstringData: { token: "{{ .Values.token }}" }\n';

/** A release that a person holds, while its branch and its objects move. */
async function openHeld(repository: ChartRepository): Promise<ChartHouse> {
  const house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  const spec = { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values: { replicas: 2 } };
  const from = [{ secretKeyRef: { name: 'token', key: 'values.yaml' } }];
  const data = { 'values.yaml': Buffer.from(`token: ${CANARY}\n`).toString('base64') };
  await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'token' }, data });
  await house.declare('ledger', { ...spec, valuesFrom: from }, KINDS.helmRelease);
  await until('it is installed', () => house.tell('ledger', KINDS.helmRelease)?.lastAct?.storedRevision === 1);
  const releaseRef = { kind: 'HelmRelease', name: 'ledger', uid: house.tell('ledger', KINDS.helmRelease)?.uid };
  const hold = { releaseRef, verb: 'hold', reason: 'r', actor: { user: 'ada', groups: [] } };
  await house.cluster.create({ ...KINDS.releaseDecision, metadata: { generateName: 'ledger-', namespace: 'pay' }, spec: hold });
  await until('it is held', () => house.tell('ledger', KINDS.helmRelease)?.hold != null);
  return house;
}

describe('a release seen three ways', () => {
  it('[issue 12.4] is told object by object: at the head of its chart, as it is stored, and as it is live, by whom, and no value of a Secret', async () => {
    const repository = new ChartRepository();
    const files = {
      'templates/key.yaml': secret,
      'templates/a.yaml': config('ledger-a', '{{ .Values.token }}'),
      'templates/b.yaml': config('ledger-b', 'old'),
      'templates/policy.yaml': policy,
    };
    repository.commitChart('ledger', aChart(files), 'ledger: begin');
    await using house = await openHeld(repository);
    const { cluster } = house;
    await using reader = createReleaseReader(house.reading);
    const three = async (maySeeValues = true) => reader.compareThree(LEDGER, { maySeeValues });
    const line = ({ kind, name, head, live, first }: Awaited<ReturnType<typeof three>>['objects'][number]) => [
      `${kind} ${name}`,
      head,
      live,
      first,
    ];
    expect((await three()).objects.map(line)).toEqual([
      ['ConfigMap ledger-a', 'same', 'same', null],
      ['ConfigMap ledger-b', 'same', 'same', null],
      ['Deployment pay-ledger', 'same', 'same', null],
      ['NetworkPolicy ledger', 'same', 'same', null],
      ['Secret ledger-key', 'same', 'same', null],
    ]);

    const head = repository.commitChart('ledger', {
      'templates/b.yaml': config('ledger-b', 'new'),
      'templates/c.yaml': config('ledger-c', 'c'),
    });
    await until('it was fetched', async () => (await reader.commits(LEDGER, ADA)).head === head);
    const scale = { type: 'merge', body: { spec: { replicas: 7 } } } as const;
    await cluster.patch({ ...KINDS.deployment, namespace: 'pay', name: 'pay-ledger' }, scale, { fieldManager: 'somebody' });
    await cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'pay', name: 'ledger-a' });
    const other = { type: 'merge', body: { data: { token: Buffer.from(`${CANARY}-other`).toString('base64') } } } as const;
    await cluster.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: 'ledger-key' }, other);
    const told = await three();
    expect(told).toMatchObject({ stored: 1, head: { revision: head, why: null }, hidesValues: true, valuesDiffer: false });
    expect(told.objects.map(line)).toEqual([
      ['ConfigMap ledger-a', 'same', 'missing', null],
      ['ConfigMap ledger-b', 'changed', 'same', null],
      ['ConfigMap ledger-c', 'created', 'new', null],
      ['Deployment pay-ledger', 'same', 'differs', 'spec.replicas'],
      ['NetworkPolicy ledger', 'same', 'same', null],
      ['Secret ledger-key', 'same', 'differs', expect.stringContaining('token')],
    ]);
    const [, b, , deployment, , key] = told.objects;
    expect(b?.headDiff).toEqual(expect.arrayContaining([{ sign: '+', text: '  text: new' }]));
    expect(deployment).toMatchObject({ by: 'somebody', fields: 1 });
    expect(deployment?.liveDiff).toEqual(expect.arrayContaining([{ sign: '+', text: '  replicas: 7' }]));
    expect(key?.liveDiff).toEqual([]);
    for (const text of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, 20)])
      expect(JSON.stringify([told, house.lines])).not.toContain(text);
  });

  it('[issue 12.3] still compares what is stored with what is live where the chart does not render, and says why it does not', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart(), 'ledger: begin');
    await using house = await openHeld(repository);
    await using reader = createReleaseReader(house.reading);
    const broken = repository.commitChart('ledger', { 'templates/broken.yaml': '{{ fail "no such thing" }}' });
    await until('it was fetched', async () => (await reader.commits(LEDGER, ADA)).head === broken);
    expect(await reader.compareThree(LEDGER, { maySeeValues: true })).toMatchObject({
      head: { revision: broken, why: expect.stringContaining('no such thing') as string },
      objects: [{ kind: 'Deployment', head: 'unknown', live: 'same' }],
    });
  });
});
