import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart } from '../support/chart-repository';
import { until } from '../support/until';
import type { KilledHouse } from './killed-house';
import { NAMESPACE, openKilledHouse } from './killed-house';

const RESTART_MS = 180_000;
/** Nothing is looked at or fetched because its time has come: what happens was asked for, or is done at a start. */
const NEVER_MS = 3_600_000;
const KINDS_OF = { ledger: KINDS.fluxHelmRelease, books: KINDS.helmRelease } as const;
type Name = keyof typeof KINDS_OF;

let house: KilledHouse;

beforeAll(async () => {
  house = await openKilledHouse({ intervalMs: NEVER_MS, pollMs: NEVER_MS });
  for (const name of ['ledger', 'books']) house.repository.commitChart(name, aChart({}, name));
  house.start();
  const at = (name: string) => ({ metadata: { namespace: NAMESPACE, name } });
  await house.cluster.create({ ...KINDS.fluxHelmRelease, ...at('ledger'), spec: { chartGitPath: 'ledger', values: {} } });
  const chart = { git: house.repository.url, ref: 'main', path: 'charts/books' };
  await house.cluster.create({ ...KINDS.helmRelease, ...at('books'), spec: { chart, values: {} } });
  for (const name of ['ledger', 'books'] as const)
    await until(`${name} is installed`, async () => (await released(name)) === 'deployed 1 with 1', RESTART_MS);
}, 2 * RESTART_MS);

afterAll(() => house?.[Symbol.asyncDispose]());

/** The newest revision that is stored, and the replicas that are wanted live. */
async function released(name: Name): Promise<string> {
  let newest = { revision: 0, status: 'absent' };
  const secrets = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE };
  for await (const { items } of house.cluster.list(secrets, { labelSelector: `owner=helm,name=pay-${name}` })) {
    for (const { metadata } of items) {
      const { version, status = '' } = metadata.labels ?? {};
      if (Number(version) > newest.revision) newest = { revision: Number(version), status };
    }
  }
  const live = await house.get(KINDS.deployment, `pay-${name}`);
  return `${newest.status} ${newest.revision} with ${String(readField(live, 'spec', 'replicas'))}`;
}

/** Decides as a person; answers the name of the decision once it is accepted. */
async function decide(name: Name, verb: ReleaseVerb, more: object = {}): Promise<string> {
  const kind = KINDS_OF[name];
  const uid = (await house.get(kind, name))?.metadata.uid;
  const spec = { releaseRef: { kind: kind.kind, name, uid }, verb, actor: { user: 'ada', groups: [] }, ...more };
  const made = { ...KINDS.releaseDecision, metadata: { generateName: `${name}-`, namespace: NAMESPACE }, spec };
  const { name: decision = '' } = (await house.cluster.create(made)).metadata;
  const phase = async () => readString(await house.get(KINDS.releaseDecision, decision), 'status', 'phase');
  await until(`${verb} is accepted`, async () => (await phase()) === 'Accepted', RESTART_MS);
  return decision;
}

let replicas = 1;
const commitTo = (name: Name) => house.repository.commitChart(name, { 'values.yaml': `replicas: ${++replicas}\n` });

describe('[issue 12, proof] a server that is killed between the answer to a decision and what follows from it', () => {
  it.each<readonly ['lift' | 'sync', Name]>([
    ['lift', 'ledger'],
    ['sync', 'books'],
  ])('does what a %s of %s asked for once it is back, though nothing is due', async (verb, name) => {
    const before = await released(name);
    const hold = verb === 'lift' ? await decide(name, 'hold', { reason: 'look first' }) : undefined;
    commitTo(name);
    house.standAt({ program: 'helm', word: '--description', when: 'before' });
    await decide(name, verb, { seen: { hold } });
    await until('Helm is about to begin', () => house.isStanding(), RESTART_MS);
    await house.kill();
    house.killChildren();
    house.free();
    expect(await released(name)).toBe(before);
    house.start();
    const after = `deployed ${Number(/\d+/.exec(before)?.[0]) + 1} with ${replicas}`;
    await until('it is at the commit, by one revision', async () => (await released(name)) === after, RESTART_MS);
  });
});
