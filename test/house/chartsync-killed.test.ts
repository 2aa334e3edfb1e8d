import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { packChart } from '../support/chart-archive';
import { aChart, STUCK_HOOK } from '../support/chart-repository';
import type { LoopbackWeb } from '../support/loopback-web';
import { startWeb } from '../support/loopback-web';
import { until } from '../support/until';
import type { KilledHouse, Stand } from './killed-house';
import { NAMESPACE, openKilledHouse } from './killed-house';

const SECRETS = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE };
const JOB = { apiVersion: 'batch/v1', kind: 'Job' };
const ARCHIVE = packChart('parts', '1.0.0');
const INDEX = `apiVersion: v1
entries:
  parts:
  - apiVersion: v2
    name: parts
    version: 1.0.0
    digest: ${createHash('sha256').update(ARCHIVE).digest('hex')}
    urls:
    - parts-1.0.0.tgz
`;
/** A process that begins beside others takes its time. */
const RESTART_MS = 180_000;
const BOOKS = { ...KINDS.helmRelease, namespace: NAMESPACE, name: 'books' };
const RELEASES = ['pay-ledger', 'pay-books'] as const;

let house: KilledHouse;
let web: LoopbackWeb;
let isWebStuck = false;
let image = 1;
let startedAt = 0;

beforeAll(async () => {
  web = await startWeb((request, answer) => {
    if (isWebStuck) return; // it never answers
    answer.end(request.url === '/index.yaml' ? INDEX : ARCHIVE);
  });
  house = await openKilledHouse({ outbound: `127.0.0.1:${web.port}` });
  for (const name of ['ledger', 'books']) house.repository.commitChart(name, aChart({ 'templates/hook.yaml': STUCK_HOOK }, name));
  house.start();
  const { url } = house.repository;
  const at = (name: string) => ({ metadata: { namespace: NAMESPACE, name } });
  await house.cluster.create({ ...KINDS.fluxHelmRelease, ...at('ledger'), spec: { chartGitPath: 'ledger', values: {} } });
  await house.cluster.create({
    ...KINDS.helmRelease,
    ...at('books'),
    spec: { chart: { git: url, ref: 'main', path: 'charts/books' }, values: {} },
  });
  for (const name of RELEASES) await until(`${name} is installed`, async () => (await stateOf(name)).state === 'deployed 1', RESTART_MS);
}, 2 * RESTART_MS);

afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

/** The newest revision that is stored, and the image that runs. */
async function stateOf(name: string): Promise<{ readonly state: string; readonly image: string; readonly revision: number }> {
  let newest = { revision: 0, status: 'absent' };
  for await (const { items } of house.cluster.list(SECRETS, { labelSelector: `owner=helm,name=${name}` })) {
    for (const { metadata } of items) {
      const { version, status = '' } = metadata.labels ?? {};
      if (Number(version) > newest.revision) newest = { revision: Number(version), status };
    }
  }
  const live = await house.get(KINDS.deployment, name);
  const running = String(readField(live, 'spec', 'template', 'spec', 'containers', 0, 'image'));
  return { state: `${newest.status} ${newest.revision}`, image: running, revision: newest.revision };
}

/** Commits another image to both charts, with more files where a phase wants them. */
function commitImage(more: Readonly<Record<string, string>> = {}): string {
  image++;
  const { 'templates/deployment.yaml': template = '' } = aChart();
  const files = { 'templates/deployment.yaml': template.replace('app:1', `app:${image}`), ...more };
  house.repository.commit(
    Object.fromEntries(
      ['ledger', 'books'].flatMap((name) => Object.entries(files).map(([file, text]) => [`charts/${name}/${file}`, text])),
    ),
  );
  return `registry.example.com/app:${image}`;
}

interface Expectation {
  readonly before: readonly number[];
  readonly wanted: string;
}

/** Both releases come to what was committed, by one revision each, and stay there over two passes. */
async function expectReleasedOnce({ before, wanted }: Expectation): Promise<void> {
  const expected = before.map((revision) => ({ state: `deployed ${revision + 1}`, image: wanted, revision: revision + 1 }));
  const now = () => Promise.all(RELEASES.map(stateOf));
  await until(
    'both releases are at the commit',
    async () => (await now()).every((one) => one.image === wanted && one.state.startsWith('deployed')),
    RESTART_MS,
  );
  expect(await now()).toEqual(expected);
  const fetched = () => house.lines.filter((line) => line.includes('no new commits on the branch')).length;
  const sofar = fetched();
  await until('two passes have gone by, with a fetch each 500 ms', () => fetched() >= sofar + 7, RESTART_MS);
  expect(await now()).toEqual(expected);
}

const revisions = () => Promise.all(RELEASES.map(async (name) => (await stateOf(name)).revision));
const untilLine = (text: string) => until(`it says ${text}`, () => house.lines.some((line) => line.includes(text)), RESTART_MS);
const LEFT = 'a Helm process of an earlier server is still running';

/** The hooks of the releases that wait for one. */
async function waitingHooks(): Promise<readonly string[]> {
  const found = await Promise.all(RELEASES.map(async (name) => ((await house.get(JOB, `${name}-hook`)) === undefined ? [] : [name])));
  return found.flat();
}

const isPending = ({ state }: { readonly state: string }) => state.startsWith('pending');

async function cancelBooks(): Promise<void> {
  const { kind, name } = BOOKS;
  const releaseRef = { kind, name, uid: (await house.get(BOOKS, name))?.metadata.uid };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: `${name}-`, namespace: NAMESPACE },
    spec: { releaseRef, verb: 'cancel', actor: { user: 'ada', groups: ['system:masters'] } },
  });
  const status = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  await until('it is cancelled', async () => readField(await status(), 'finishedAt') !== undefined, RESTART_MS);
  expect(await status()).toMatchObject({ phase: 'Accepted' });
}

describe('[issue 12, proof] a server that is killed', { timeout: 3 * RESTART_MS }, () => {
  it.each<readonly [string, Stand]>([
    ['while it fetches', { program: 'git', word: 'fetch', when: 'before' }],
    ['while it exports a commit', { program: 'git', word: 'read-tree', when: 'before' }],
    ['before Helm has stored anything', { program: 'helm', word: '--description', when: 'before' }],
    ['when Helm is done and nothing is marked', { program: 'helm', word: '--description', when: 'after' }],
    ['in a dry run', { program: 'helm', word: '--dry-run=server', when: 'before' }],
  ])('%s comes to the same releases, and releases nothing twice', async (_phase, stand) => {
    const before = await revisions();
    house.standAt(stand);
    const wanted = commitImage();
    await until('it stands where it was told to', () => house.isStanding(), RESTART_MS);
    await house.kill();
    house.start();
    // A git is ended; a Helm goes on when it is let, and the new server waits for it.
    if (stand.program === 'helm') await untilLine(LEFT);
    house.free();
    await expectReleasedOnce({ before, wanted });
  });

  it('while it builds dependencies comes to the same releases, and releases nothing twice', async () => {
    const before = await revisions();
    isWebStuck = true;
    const asked = web.seen.length;
    const chart = (name: string) =>
      `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies: [ { name: parts, version: 1.0.0, repository: "http://127.0.0.1:${web.port}" } ]\n`;
    house.repository.commitChart('books', { 'Chart.yaml': chart('books') });
    const wanted = commitImage();
    await until('the dependency is asked for', () => web.seen.length > asked, RESTART_MS);
    await house.kill();
    isWebStuck = false;
    house.start();
    await expectReleasedOnce({ before, wanted });
  });

  it('while Helm waits for a hook leaves alone what a person cancels of the next process, also at a commit that left the chart as it is', async () => {
    const [ledger = 0, books = 0] = await revisions();
    const { image: wanted } = await stateOf('pay-books');
    const setStuck = (stuck: true | null) => house.cluster.patch(BOOKS, { type: 'merge', body: { spec: { values: { stuck } } } });
    await setStuck(true);
    await until('its hook waits', async () => (await waitingHooks()).includes('pay-books'), RESTART_MS);
    await house.kill();
    const head = house.repository.commit({ 'README.md': 'it leaves every chart as it is\n' });
    house.standAt({ program: 'git', word: 'fetch', when: 'before' });
    house.start();
    await untilLine(LEFT);
    await cancelBooks();
    house.free();
    await untilLine(`working copy","revision":"${head}`);
    const told = () => house.lines.filter((line) => line.includes('"resource":"pay/books"') && line.includes('"error"'));
    const sofar = told().length;
    await until('it is looked at again and again', () => told().length > sofar + 3, RESTART_MS);
    for (const line of told().slice(sofar + 1)) expect(line).toContain('ada cancelled it');
    expect((await stateOf('pay-books')).state).toBe(`failed ${books + 1}`);
    await house.cluster.delete({ ...JOB, namespace: NAMESPACE, name: 'pay-books-hook' });
    await setStuck(null);
    await expectReleasedOnce({ before: [ledger - 1, books + 1], wanted });
  });

  it('while Helm waits for a hook finds that Helm, waits for it, and releases nothing twice', async () => {
    const before = await revisions();
    const wanted = commitImage({ 'values.yaml': 'replicas: 1\nstuck: true\n' });
    await until('a hook waits', async () => (await waitingHooks()).length > 0, RESTART_MS);
    await house.kill();
    startedAt = Date.now();
    house.start();
    await untilLine(LEFT);
    await untilLine('release is pending');
    await until('both hooks wait', async () => (await waitingHooks()).length === RELEASES.length, RESTART_MS);
    // The one that was under way logs on, to the server that came after the one that started it.
    await until('what it writes is told', () => logsOfLeft().some(({ until: end, lines }) => end === null && lines.length > 3), RESTART_MS);
    expect(house.lines.filter((line) => line.includes('release is pending')).every((line) => line.includes('"helm":"at work"'))).toBe(true);
    await letHooksEnd();
    await expectReleasedOnce({ before, wanted });
    expect(readdirSync(path.join(house.repository.folder, 'chartsync', 'helm', 'logs'))).toEqual([]);
  });

  it('with all that it started leaves a release pending, says so with evidence, and does nothing to it; the other one goes on', async () => {
    const before = await revisions();
    const { 'values.yaml': values = '' } = aChart();
    commitImage({ 'values.yaml': 'replicas: 1\nstuck: true\n' });
    await until('a release is pending', async () => (await Promise.all(RELEASES.map(stateOf))).some(isPending), RESTART_MS);
    await house.kill();
    house.killChildren();
    const stuck = await Promise.all(RELEASES.map(stateOf));
    // While nothing runs, or the other one would be released at the commit whose hook does not end.
    const wanted = commitImage({ 'values.yaml': values });
    house.start();
    for (const [at, { state, revision }] of stuck.entries()) {
      if (!state.startsWith('pending')) continue;
      await untilLine('release is pending');
      const told = JSON.parse(
        house.lines.find((line) => line.includes('release is pending') && line.includes(RELEASES[at] ?? '')) ?? '{}',
      ) as object;
      expect(told).toMatchObject({ stored: 'pending-upgrade', revision, helm: 'not at work on this machine' });
    }
    const [free] = RELEASES.filter((_, at) => !stuck[at]?.state.startsWith('pending'));
    if (free !== undefined)
      await until('the other one is at the next commit', async () => (await stateOf(free)).image === wanted, RESTART_MS);
    for (const [at, name] of RELEASES.entries()) if (name !== free) expect((await stateOf(name)).state).toBe(stuck[at]?.state);
    expect(stuck.some(({ state }, at) => state === `pending-upgrade ${(before[at] ?? 0) + 1}`)).toBe(true);
  });
});

interface ToldLog {
  readonly since: number;
  readonly until: number | null;
  readonly lines: readonly unknown[];
}

/** What this server tells of the logs of Helms that were there before it. */
function logsOfLeft(): readonly ToldLog[] {
  const told = house.lines.flatMap((line) => (line.includes('the log of Helm') ? [JSON.parse(line) as { readonly log?: ToldLog }] : []));
  return told.flatMap(({ log }) => (log !== undefined && log.since < startedAt ? [log] : []));
}

async function letHooksEnd(): Promise<void> {
  for (const name of RELEASES) {
    await house.cluster.patch(
      { ...JOB, namespace: NAMESPACE, name: `${name}-hook` },
      { type: 'merge', body: { spec: { suspend: false } } },
    );
  }
}
