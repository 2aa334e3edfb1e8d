import { expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { createReleaseReader } from '@/server/chartsync';
import { listAll } from '@/server/kube';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const GIVEN = 'canary-5511';
const DEFAULT = 'canary-5512';
const OF_SUBCHART = 'canary-5513';
const PUBLIC = 'known-to-all';

const aDeployment = (app: string, replicas: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${app} } }
  template:
    metadata: { labels: { app: ${app} } }
    spec: { containers: [ { name: app, image: "registry.example.com/app:1" } ] }
`;

/** Everything that people are told of the release. */
async function everythingTold(house: ChartHouse): Promise<string> {
  await using reader = createReleaseReader(house.reading);
  const events = await listAll(house.cluster, { apiVersion: 'v1', kind: 'Event', namespace: 'pay' });
  const told = [
    house.tell('ledger', KINDS.helmRelease),
    house.reading.journal,
    await house.get(KINDS.helmRelease, 'ledger'),
    await reader.readHistory({ namespace: 'pay', name: 'pay-ledger' }),
    house.recorded,
    house.lines,
    events.items,
  ];
  return JSON.stringify(told, (_, value) => (value instanceof Map ? [...value] : value));
}

/** The values stand in the resource, for whoever may read that. */
const withoutSpec = (told: string) => told.replaceAll(/"values":\{[^}]*\}/g, '');

const decide = async (house: ChartHouse, spec: object) => {
  const uid = (await house.get(KINDS.helmRelease, 'ledger'))?.metadata.uid;
  const releaseRef = { kind: 'HelmRelease', name: 'ledger', uid };
  const actor = { user: 'ada', groups: ['system:masters'] };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'ledger-', namespace: 'pay' },
    spec: { releaseRef, actor, reason: 'look first', ...spec },
  });
  const read = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  await until('it is answered', async () => readString(await read(), 'finishedAt') !== undefined);
  return JSON.stringify(await read());
};

/** Replaces the Deployment of the release by one of somebody, which can be made what the release wants by nobody. */
async function replaceByHand(house: ChartHouse): Promise<void> {
  await house.cluster.delete({ ...KINDS.deployment, namespace: 'pay', name: 'pay-ledger' });
  const labels = { app: 'by-hand' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] } };
  const metadata = { namespace: 'pay', name: 'pay-ledger' };
  await house.cluster.create({ ...KINDS.deployment, metadata, spec: { selector: { matchLabels: labels }, template } });
}

const tell = (house: ChartHouse) => house.tell('ledger', KINDS.helmRelease);
const specOf = ({ url }: ChartRepository, more: object = {}) => ({
  chart: { git: url, ref: 'main', path: 'charts/ledger' },
  releaseName: 'pay-ledger',
  ...more,
});

it('[issue 12.5] a rollback that fails tells no value of what it went back to', async () => {
  const repository = new ChartRepository();
  const template = aDeployment('{{ .Values.app | quote }}', '{{ .Values.replicas }}');
  repository.commitChart('ledger', aChart({ 'templates/deployment.yaml': template }));
  await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  await house.declare('ledger', specOf(repository, { values: { app: GIVEN } }), KINDS.helmRelease);
  await until('it is installed', () => tell(house)?.lastAct?.storedRevision === 1);
  await house.declare('ledger', specOf(repository, { values: { app: GIVEN, replicas: 3 } }), KINDS.helmRelease);
  await until('it is upgraded', () => tell(house)?.lastAct?.storedRevision === 2);
  await replaceByHand(house);
  expect(await decide(house, { verb: 'rollback', revision: 1, seen: { stored: 2 } })).toContain('[masked]\\"}}: field is immutable');
  const told = await everythingTold(house);
  expect(told.split('field is immutable').length).toBeGreaterThan(5);
  expect(withoutSpec(told)).not.toContain(GIVEN);
});

it('[issue 12.5] drift that cannot be put back tells no value of what is stored', async () => {
  const repository = new ChartRepository();
  const template = aDeployment('{{ .Values.app | quote }}', '2');
  repository.commitChart('ledger', aChart({ 'templates/deployment.yaml': template }));
  await using house = await openChartHouse(repository, { intervalMs: 1000 });
  const spec = specOf(repository, { values: { app: GIVEN }, driftDetection: { mode: 'enabled' } });
  await house.declare('ledger', spec, KINDS.helmRelease);
  await until('it is installed', () => tell(house)?.lastAct?.storedRevision === 1);
  await replaceByHand(house);
  await until('it could not be put back', () => tell(house)?.state === 'failed');
  const told = await everythingTold(house);
  expect(told).toContain('[masked]');
  expect(withoutSpec(told)).not.toContain(GIVEN);
});

it.each([
  ['under the name of a secret', `auth: { password: ${DEFAULT} }\n`, '.Values.auth.password', DEFAULT],
  ['as a variable', `env:\n  - name: DB_PASSWORD\n    value: "${DEFAULT}" # to change\n`, '(index .Values.env 0).value', DEFAULT],
  ['in a subchart', 'replicas: 1\n', '.Values.inner.adminToken', OF_SUBCHART],
])('[issue 12.5] what a chart comes with %s is told by no error of Helm', async (_where, values, reference, secret) => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', {
    ...aChart({ 'values.yaml': `open: ${PUBLIC}\n${values}` }),
    'charts/inner/Chart.yaml': 'apiVersion: v2\nname: inner\nversion: 1.0.0\n',
    'charts/inner/values.yaml': `adminToken: ${OF_SUBCHART}\n`,
    'templates/deployment.yaml': aDeployment('ledger', '{{ .Values.replicas }}'),
  });
  await using house = await openChartHouse(repository, { intervalMs: 1000 });
  await house.declare('ledger', specOf(repository), KINDS.helmRelease);
  await until('it is installed', () => tell(house)?.lastAct?.storedRevision === 1);
  const bad = `{{ printf "%s-%s-%s" (repeat 70 "x") ${reference} .Values.open | quote }}`;
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: labelled, labels: { key: ${bad} } }\n`;
  repository.commitChart('ledger', { 'templates/labelled.yaml': template });
  await until('the upgrade failed', () => tell(house)?.state === 'failed');
  await until('Helm stored why', async () => (await everythingTold(house)).includes('"revision":2,"status":"failed"'));
  // What Helm stored of it tells nothing of a subchart, so what stands there of one is told (record 0186).
  const whole = await everythingTold(house);
  const told = secret === OF_SUBCHART ? whole.replace(/"description":"Upgrade [^}]*/, '') : whole;
  // What is no secret by its name is told, so that people find the fault.
  expect(told).toMatch(new RegExp(`\\[masked\\]-${PUBLIC}`));
  expect(told).not.toContain(secret);
});

it('[issue 12.5] what a chart comes with under the name of a secret is shown in objects and notes to whoever may read what Helm stored, and to nobody else', async () => {
  const repository = new ChartRepository();
  const told = 'metadata: { name: told }\ndata: { url: "db?password={{ .Values.password }}", open: "{{ .Values.open }}" }\n';
  const commit = repository.commitChart('ledger', {
    ...aChart({ 'values.yaml': `replicas: 1\npassword: ${DEFAULT}\nopen: ${PUBLIC}\n` }),
    'templates/told.yaml': `apiVersion: v1\nkind: ConfigMap\n${told}`,
  });
  await using house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  await using reader = createReleaseReader(house.reading);
  await house.declare('ledger', specOf(repository), KINDS.helmRelease);
  await until('it is installed', () => tell(house)?.lastAct?.storedRevision === 1);
  const at = { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger', release: { namespace: 'pay', name: 'pay-ledger' } };
  const shown = async (maySeeValues: boolean) => {
    const stored = await reader.content(at, { revision: 1, maySeeValues: async () => maySeeValues });
    return JSON.stringify([
      stored,
      await reader.compareCommit(at, { commit, maySeeValues }),
      await reader.compareThree(at, { maySeeValues }),
    ]);
  };
  expect(await shown(true)).toContain(`password=${DEFAULT}`);
  const hidden = await shown(false);
  expect(hidden).toContain(PUBLIC);
  expect(hidden).not.toContain(DEFAULT);
});
