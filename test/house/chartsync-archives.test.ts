import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { startWeb } from '../support/loopback-web';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import { use } from '../support/use';
import type { ChartHouse } from './chartsync-house';
import { aPublisher, openPublishedHouse } from './published-house';

const APPROVALS = 'slipway.dev/approvals';

const statusOf = async (house: ChartHouse, name: string) => (await house.get(KINDS.helmRelease, name))?.status;
const digestOf = async (house: ChartHouse, name: string) => readString(await statusOf(house, name), 'lastAttemptedRevisionDigest');
const replicasOf = async (house: ChartHouse, name: string) =>
  readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
const gateOf = (house: ChartHouse) => house.tell('gated', KINDS.helmRelease)?.gate;
const isWaiting = (house: ChartHouse) => house.tell('gated', KINDS.helmRelease)?.state === 'waiting';

/** A Helm repository with version 1.0.0 of a chart, and two releases of it, of which one requires an approval. */
async function aGatedRelease(version: string) {
  const { helm, pack, published } = await aPublisher();
  const publish = (released: string, replicas: number) => {
    pack(
      'ledger',
      aChart({ 'Chart.yaml': `apiVersion: v2\nname: ledger\nversion: ${released}\n`, 'values.yaml': `replicas: ${replicas}\n` }),
    );
    helm('repo', 'index', published);
  };
  publish('1.0.0', 2);
  const web = use(await startWeb(({ url = '' }, answer) => answer.end(readFileSync(path.join(published, path.basename(url))))));
  const house = use(await openPublishedHouse(new ChartRepository(), [web.port]));
  const chart = { repository: `http://charts.test:${web.port}`, name: 'ledger', version };
  await house.cluster.create({
    ...KINDS.helmRelease,
    metadata: { namespace: 'pay', name: 'gated', annotations: { [APPROVALS]: '1' } },
    spec: { chart },
  });
  await house.declare('free', { chart }, KINDS.helmRelease);
  for (const name of ['gated', 'free']) await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 2);
  return { house, chart, publish };
}

/** Decides about the gated release, and tells what became of that. */
async function decide(house: ChartHouse, verb: ReleaseVerb, more: object): Promise<string> {
  const releaseRef = { kind: 'HelmRelease', name: 'gated', uid: (await house.get(KINDS.helmRelease, 'gated'))?.metadata.uid };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'gated-', namespace: 'pay' },
    spec: { releaseRef, verb, actor: { user: 'ada', groups: [] }, ...more },
  });
  const read = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  const isDone = (status: unknown) => readString(status, 'phase') === 'Rejected' || readString(status, 'finishedAt') !== undefined;
  await until(`${verb} is answered`, async () => isDone(await read()));
  const status = await read();
  return `${readString(status, 'phase')}: ${readString(status, 'message')}`;
}

describe('a release of a published chart that requires approvals', () => {
  it('[issue 12.1] follows no range and no tag that moved, says so, and goes where its resource is changed to', async () => {
    const { house, chart, publish } = await aGatedRelease('^1.0.0');
    publish('1.1.0', 4);
    await until('the range is followed', async () => (await replicasOf(house, 'free')) === 4);
    await until('the gated one waits', () => isWaiting(house));
    expect(house.tell('gated', KINDS.helmRelease)?.upgrade).toMatchObject({
      why: expect.stringContaining('version "^1.0.0" now resolves to 1.1.0 instead of 1.0.0; this needs 1 approval'),
    });
    expect([await replicasOf(house, 'gated'), readString(await statusOf(house, 'gated'), 'phase')]).toEqual([2, 'ApprovalRequired']);

    await house.declare('gated', { chart: { ...chart, version: '1.1.0' } }, KINDS.helmRelease);
    await until('it is where its resource says', async () => (await replicasOf(house, 'gated')) === 4);
    await until('it waits for nothing', () => house.tell('gated', KINDS.helmRelease)?.state === 'in-sync');
  });

  it('[issue 12.1] goes to exactly the archive that was approved by its digest, and no further', async () => {
    const { house, publish } = await aGatedRelease('^1.0.0');
    publish('1.1.0', 4);
    await until('an archive waits', () => gateOf(house)?.archive?.waiting?.revision === '1.1.0');
    const { digest, revision } = gateOf(house)?.archive?.waiting ?? {};
    await until('the free one is at it', async () => (await digestOf(house, 'free')) === digest);
    const other = { digest: 'f'.repeat(64), seen: { chart: revision } };
    expect(await decide(house, 'approve', other)).toBe('Rejected: archive sha256:ffffffffffff is not the one that waits; review it again');
    expect(await decide(house, 'approve', { digest, seen: { chart: revision } })).toBe(
      `Accepted: approved by ada: the release goes to archive 1.1.0 (sha256:${digest?.slice(0, 12)})`,
    );
    await until('it is released', async () => (await replicasOf(house, 'gated')) === 4);
    await until('it waits for nothing', () => house.tell('gated', KINDS.helmRelease)?.state === 'in-sync');
    expect(await digestOf(house, 'gated')).toBe(digest);
    expect(gateOf(house)?.archive).toMatchObject({ current: { digest, by: ['ada'] }, waiting: null });
    expect(house.recorded.find(({ action }) => action === 'decision.approve')?.data).toMatchObject({ digest: 'f'.repeat(64) });

    publish('1.2.0', 6);
    await until('the range is followed', async () => (await replicasOf(house, 'free')) === 6);
    await until('the next one waits', () => gateOf(house)?.archive?.waiting?.revision === '1.2.0');
    expect(await replicasOf(house, 'gated')).toBe(4);
    const uid = (await house.get(KINDS.helmRelease, 'gated'))?.metadata.uid;
    const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('releasedecisions.'));
    const kept = await house.get(KINDS.releaseDecision, `gate-${uid}`);
    expect(definition && kept && unlistedFields(definition, kept)).toEqual([]);
  });

  it('[issue 12.1] waits where its version comes to be another archive, and whoever takes the annotation away releases nothing before that is decided', async () => {
    const { house, publish } = await aGatedRelease('1.0.0');
    const first = await digestOf(house, 'gated');
    publish('1.0.0', 5);
    await until('it is released anew', async () => (await replicasOf(house, 'free')) === 5);
    await until('its status tells which archive', async () => ![undefined, first].includes(await digestOf(house, 'free')));
    await until('the gated one waits', () => isWaiting(house));
    expect(house.tell('gated', KINDS.helmRelease)?.upgrade).toMatchObject({
      why: expect.stringContaining(`now resolves to archive sha256:${(await digestOf(house, 'free'))?.slice(0, 12)} of 1.0.0`),
    });
    expect([await replicasOf(house, 'gated'), await digestOf(house, 'gated')]).toEqual([2, first]);

    expect(gateOf(house)).toMatchObject({ required: 1, loosening: null });
    const object = await house.get(KINDS.helmRelease, 'gated');
    if (object === undefined) throw new Error('the gated release is gone');
    await house.cluster.update({ ...object, metadata: { ...object.metadata, annotations: {} } });
    await until('less is asked for', () => gateOf(house)?.wanted?.required === 0);
    const before = await house.looks('schedule', 'waits');
    await until('the schedule left it', async () => (await house.looks('schedule', 'waits')) > before);
    expect([await replicasOf(house, 'gated'), await digestOf(house, 'gated')]).toEqual([2, first]);

    const looser = { reason: 'a quiet week', seen: { gate: gateOf(house)?.loosening } };
    expect(await decide(house, 'loosen', looser)).toBe('Accepted: approved by ada: the looser policy is in force');
    await until('it is released', async () => (await replicasOf(house, 'gated')) === 5);
    await until('no gate is in force', () => gateOf(house) === null);
  });
});
