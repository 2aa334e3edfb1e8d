import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConditions } from '@/lib/kube/condition';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart } from '../support/chart-repository';
import { until } from '../support/until';
import type { KilledHouse, Stand } from './killed-house';
import { NAMESPACE, openKilledHouse } from './killed-house';

/** A process that begins beside others takes its time. */
const RESTART_MS = 180_000;
const REFUSED = `{{- if .Values.refused }}
apiVersion: v1
kind: ConfigMap
metadata: { name: Not_A_Name }
{{- end }}`;
const PROBE = `apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-probe
  annotations: { helm.sh/hook: test, helm.sh/hook-delete-policy: before-hook-creation{{ if .Values.fails }}, sim.slipway.dev/fail: crash-loop{{ end }} }
spec: { restartPolicy: Never, containers: [ { name: probe, image: "registry.example.com/probe:1" } ] }
`;
const BOOKS = { ...KINDS.helmRelease, metadata: { namespace: NAMESPACE, name: 'books' } };

let house: KilledHouse;

beforeAll(async () => {
  house = await openKilledHouse();
  house.repository.commitChart('books', aChart({ 'templates/refused.yaml': REFUSED, 'templates/probe.yaml': PROBE }, 'books'));
  house.start();
  const chart = { git: house.repository.url, ref: 'main', path: 'charts/books' };
  await house.cluster.create({ ...BOOKS, spec: { chart, values: {}, rollback: { enable: true }, test: { enable: true } } });
  await until('it is installed and tested', async () => (await told()).phase === 'Succeeded', RESTART_MS);
}, 2 * RESTART_MS);

afterAll(() => house[Symbol.asyncDispose]());

/** What the status says, and what Helm stored, oldest first. */
async function told() {
  const status = (await house.get(BOOKS, 'books'))?.status;
  const conditions = Object.fromEntries(readConditions({ status }).map(({ type, status: is }) => [type, is]));
  const stored: [number, string | undefined][] = [];
  for await (const { items } of house.cluster.list(
    { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE },
    { labelSelector: 'owner=helm' },
  ))
    for (const { metadata } of items) stored.push([Number(metadata.labels?.version), metadata.labels?.status]);
  const states = stored.sort(([one], [other]) => one - other).map(([, state]) => state);
  return { phase: readField(status, 'phase'), count: readField(status, 'rollbackCount'), conditions, states };
}

const started = (word: string) => house.starts().filter((line) => line.startsWith(`helm ${word} `)).length;

/** Commits values of the chart, kills the server with all it started when it comes to an act of Helm, and starts another one. */
async function killAt(word: string, values: string): Promise<void> {
  const stand: Stand = { program: 'helm', word, when: 'before' };
  house.standAt(stand);
  house.repository.commitChart('books', { 'values.yaml': values });
  await until('it stands where it was told to', () => house.isStanding(), RESTART_MS);
  await house.kill();
  house.killChildren();
  house.free();
  house.start();
}

it('[X-RB-1] a server killed before Helm went back from an upgrade that failed is made up for by the next one, once', {
  timeout: RESTART_MS,
}, async () => {
  await killAt('rollback', 'replicas: 1\nrefused: true\n');
  await until('it went back', async () => (await told()).phase === 'RolledBack', RESTART_MS);
  const fetched = () => house.lines.filter((line) => line.includes('no new commits on the branch')).length;
  const sofar = fetched();
  await until('two passes have gone by, with a fetch each 500 ms', () => fetched() >= sofar + 7, RESTART_MS);
  expect(await told()).toMatchObject({
    phase: 'RolledBack',
    count: 1,
    conditions: { Released: 'False', RolledBack: 'True' },
    states: ['superseded', 'failed', 'deployed'],
  });
  expect(started('rollback')).toBe(1);
});

it('[X-TEST-1] a server killed in a test is made up for by the next one, which goes back where it fails', {
  timeout: RESTART_MS,
}, async () => {
  const before = (await told()).states.length;
  await killAt('test', 'replicas: 2\nfails: true\n');
  await until('it is tested, and went back', async () => (await told()).count === 2, RESTART_MS);
  const { phase, conditions, states } = await told();
  expect(phase).toBe('RolledBack');
  expect(conditions).toMatchObject({ Tested: 'False', Released: 'False', RolledBack: 'True' });
  expect(states.slice(before)).toEqual(['superseded', 'deployed']);
});
