import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { aChart, ChartRepository, STUCK_HOOK } from '../support/chart-repository';
import { startGitHttps } from '../support/git-https';
import { makeCertificate } from '../support/loopback-certificate';
import { until } from '../support/until';
import { use } from '../support/use';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const JOB = { apiVersion: 'batch/v1', kind: 'Job' };
const SAID = 'ada cancelled it; it is retried when something changes, or on a sync unless it was left failed or rolled back';

async function decide(house: ChartHouse, type: TypeRef, name: string, verb: ReleaseVerb) {
  const releaseRef = { kind: type.kind, name, uid: (await house.get(type, name))?.metadata.uid };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: `${name}-`, namespace: 'pay' },
    spec: { releaseRef, verb, actor: { user: 'ada', groups: ['system:masters'] } },
  });
  const status = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  const awaited = verb === 'cancel' ? 'finishedAt' : 'at';
  await until(`${verb} is answered`, async () => readString(await status(), awaited) !== undefined);
  expect(readString(await status(), 'phase')).toBe('Accepted');
}

const replicasOf = async (house: ChartHouse, name: string) =>
  readNumber(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
const isStuck = async (house: ChartHouse, name: string) => (await house.get(JOB, `pay-${name}-hook`)) !== undefined;
const goOn = (house: ChartHouse, name: string) =>
  house.cluster.patch({ ...JOB, namespace: 'pay', name: `pay-${name}-hook` }, { type: 'merge', body: { spec: { suspend: false } } });

/** Waits until the schedule looked at it twice since it was cancelled. */
const leftAlone = (house: ChartHouse, type: TypeRef, name: string) =>
  until(`the schedule leaves ${name} alone`, () => {
    const [newest] = house.tell(name, type)?.reconciles ?? [];
    return newest?.by === 'schedule' && newest.outcome === 'failed' && newest.error === SAID && newest.times > 1;
  });

describe('what a person cancelled', () => {
  it('[issue 12.1] before it had its turn is not tried again by the schedule, but for a commit, a change of its resource, or somebody who syncs it', async () => {
    const repository = new ChartRepository();
    for (const name of ['ledger', 'cash', 'books']) repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
    await using house = await openChartHouse(repository, { intervalMs: 1000, helmAtOnce: 1 });
    const [base, later] = [KINDS.fluxHelmRelease, KINDS.helmRelease];
    const spec = (name: string, values: object) => ({ chart: { git: repository.url, ref: 'main', path: `charts/${name}` }, values });
    for (const name of ['ledger', 'cash']) await house.declare(name, { chartGitPath: name, values: { replicas: 1 } });
    await house.declare('books', spec('books', { replicas: 1 }), later);
    for (const name of ['ledger', 'cash', 'books']) await until(`${name} is installed`, async () => (await replicasOf(house, name)) === 1);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2, stuck: true } });
    await until('the hook of the first waits', () => isStuck(house, 'ledger'));
    await house.declare('cash', { chartGitPath: 'cash', values: { replicas: 2 } });
    await house.declare('books', spec('books', { replicas: 2 }), later);
    for (const [name, type] of [
      ['cash', base],
      ['books', later],
    ] as const) {
      await until(`${name} waits`, () => house.tell(name, type)?.says.id === 'state.turn');
      await decide(house, type, name, 'cancel');
    }
    await goOn(house, 'ledger');
    await until('the first goes on', async () => (await replicasOf(house, 'ledger')) === 2);
    for (const [name, type] of [
      ['cash', base],
      ['books', later],
    ] as const) {
      await leftAlone(house, type, name);
      const object = await house.get(type, name);
      expect(readNumber(object?.status, 'cancelled', 'generation')).toBe(object?.metadata.generation); // known to the process that comes next
      expect([await replicasOf(house, name), house.tell(name, type)?.says]).toEqual([
        1,
        { id: 'state.failed', why: SAID, loop: 'schedule', nextFetch: null, stays: false },
      ]);
    }
    const head = repository.commit({ 'README.md': 'a commit that leaves every chart as it is\n' });
    await until('the commit is taken', () => house.tell('ledger')?.revision === head);
    const looks = () => house.tell('cash')?.reconciles[0]?.times ?? 0;
    const sofar = looks();
    await until('the schedule looks at the cancelled one there', () => looks() > sofar + 1);
    expect([await replicasOf(house, 'cash'), house.tell('cash')?.reconciles[0]?.error]).toEqual([1, SAID]);
    await decide(house, base, 'cash', 'sync');
    await until('it is synced', async () => (await replicasOf(house, 'cash')) === 2);
    repository.commitChart('books', { 'NOTES.md': 'a commit that touches the chart\n' });
    await until('the commit is released', async () => (await replicasOf(house, 'books')) === 2);
    await until('nothing of it is left', async () => {
      const status = (await house.get(later, 'books'))?.status;
      return ['failure', 'cancelled'].every((member) => readField(status, member) === undefined);
    });
  });

  it('[issue 12.1] of a first install is not installed again before its resource changes', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'templates/hook.yaml': STUCK_HOOK.replace('pre-upgrade', 'pre-install') }));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const chart = { git: repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('ledger', { chart, values: { stuck: true } }, KINDS.helmRelease);
    await until('its hook waits', () => isStuck(house, 'ledger'));
    await decide(house, KINDS.helmRelease, 'ledger', 'cancel');
    await leftAlone(house, KINDS.helmRelease, 'ledger');
    expect(await house.get({ apiVersion: 'v1', kind: 'Secret' }, 'sh.helm.release.v1.pay-ledger.v1')).toBeUndefined();
    await house.declare('ledger', { chart, values: { replicas: 3 } }, KINDS.helmRelease);
    await until('it is installed', async () => (await replicasOf(house, 'ledger')) === 3);
  });

  it('[issue 12.1] is tried for somebody who synced it while its repository was being cloned, whatever the end of that asks for', async () => {
    const repository = new ChartRepository();
    const revision = repository.commitChart('ledger', aChart());
    const certificate = makeCertificate(['git.test']);
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const root = path.dirname(repository.bare);
    const git = use(await startGitHttps({ certificate, root, wanted: () => undefined, opened }));
    const outbound = new Outbound({ policy: readPolicy(`127.0.0.1:${git.port}`), clock: realClock, lookup: async () => ['127.0.0.1'] });
    const house = use(await openChartHouse(repository, { outbound, intervalMs: 3_600_000 }));
    const data = { 'ca.crt': Buffer.from(certificate.ca).toString('base64') };
    await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'deploy' }, data });
    const url = `https://git.test:${git.port}/origin.git`;
    await house.declare(
      'ledger',
      { chart: { git: url, ref: 'main', path: 'charts/ledger', secretRef: { name: 'deploy' } } },
      KINDS.helmRelease,
    );
    await until('it is being cloned', () => git.seen.length > 0);
    await house.cluster.patch(
      { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger' },
      {
        type: 'merge',
        body: { status: { lastAttemptedRevision: revision, cancelled: { revision, generation: 1, message: 'ada cancelled it' } } },
      },
      { subresource: 'status' },
    );
    await decide(house, KINDS.helmRelease, 'ledger', 'sync');
    open();
    await until('it is looked at', () => (house.tell('ledger', KINDS.helmRelease)?.reconciles.length ?? 0) > 0);
    expect(house.tell('ledger', KINDS.helmRelease)?.reconciles.at(-1)).toMatchObject({ by: 'decision', outcome: 'installed' });
  });
});

it('[issue 12.1] a cancel that a process accepted and did not see through is answered by the next one, with what Helm has stored', async () => {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart());
  let hasLease = true;
  await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
  hasLease = false;
  await until('the session has ended', () => house.reading.journal.loops().kind === 'elsewhere');
  const releaseRef = { kind: KINDS.fluxHelmRelease.kind, name: 'ledger', uid: house.tell('ledger')?.uid };
  const made = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { name: 'left', namespace: 'pay' },
    spec: { releaseRef, verb: 'cancel', actor: { user: 'ada', groups: ['system:masters'] } },
  });
  await house.cluster.update({ ...made, status: { phase: 'Accepted', at: '2027-01-15T08:00:00Z' } }, { subresource: 'status' });
  hasLease = true;
  const status = async () => (await house.get(KINDS.releaseDecision, 'left'))?.status;
  await until('it is answered', async () => readString(await status(), 'finishedAt') !== undefined);
  expect(await status()).toMatchObject({
    phase: 'Accepted',
    message: "the server stopped while it cancelled; Helm's storage says deployed at revision 1",
  });
});
