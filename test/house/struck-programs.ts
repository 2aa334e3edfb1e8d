import { readdirSync } from 'node:fs';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { aChart } from '../support/chart-repository';
import { until } from '../support/until';
import type { KilledHouse, ProgramStrike } from './killed-house';
import { NAMESPACE, openKilledHouse } from './killed-house';

const SECRETS = { apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE };
const RELEASES: readonly (readonly [release: string, type: TypeRef, name: string])[] = [
  ['pay-ledger', KINDS.fluxHelmRelease, 'ledger'],
  ['pay-books', KINDS.helmRelease, 'books'],
];
const LIMIT_MS = 120_000;
const NO_NEWS = 'no new commits on the branch';

/** What an upgrade of two releases comes to, in whatever way the programs of chart sync were disturbed. */
export interface ReleasesEnding {
  /** Of each release what Helm stored of it since, the oldest first, and the image that runs. */
  readonly releases: readonly string[];
  /** Of which commits there are working copies: the newest, or an older one. */
  readonly copies: readonly string[];
  readonly decisions: readonly string[];
}

/** Two releases, one of each kind, on a chart sync of which git, Helm and the whole process may be struck. */
export interface ProgramScene extends AsyncDisposable {
  /** Commits a change, decides to release it now, and tells what that comes to; with a strike, struck at that start of a program. */
  upgrade(strike?: { readonly at: number; readonly how: ProgramStrike }): Promise<ReleasesEnding & { readonly starts: readonly string[] }>;
}

/** Opens the scene with both releases at their first revision. */
export async function openProgramScene(): Promise<ProgramScene> {
  const house = await openKilledHouse();
  try {
    const { url } = house.repository;
    for (const [, , name] of RELEASES) house.repository.commitChart(name, aChart({}, name));
    house.start();
    const at = (name: string) => ({ metadata: { namespace: NAMESPACE, name } });
    await house.cluster.create({ ...KINDS.fluxHelmRelease, ...at('ledger'), spec: { chartGitPath: 'ledger', values: {} } });
    await house.cluster.create({
      ...KINDS.helmRelease,
      ...at('books'),
      spec: { chart: { git: url, ref: 'main', path: 'charts/books' }, values: {} },
    });
    for (const [release] of RELEASES)
      await until(`${release} is installed`, async () => (await storedOf(house, release)).at(-1)?.status === 'deployed', LIMIT_MS);
  } catch (error) {
    await house[Symbol.asyncDispose]();
    throw error;
  }
  let image = 1;
  return {
    async upgrade(strike) {
      const before = await Promise.all(RELEASES.map(async ([release]) => (await storedOf(house, release)).at(-1)?.revision ?? 0));
      const from = house.starts().length;
      if (strike !== undefined) house.strikeAt(from + strike.at, strike.how);
      const commit = commitImage(house, ++image);
      const decisions = await decide(house);
      if (strike?.how.startsWith('kill')) await dieAndComeBack(house);
      await until(
        'both releases are at the commit',
        async () => (await Promise.all(RELEASES.map(([name]) => isAt(house, name, image)))).every(Boolean),
        LIMIT_MS,
      );
      const starts = house.starts().slice(from);
      const sofar = quietFetches(house);
      await until('every decision is answered', async () => !(await answersTo(house, decisions)).includes('undefined'), LIMIT_MS);
      await until('two passes have gone by, with a fetch each 500 ms', () => quietFetches(house) >= sofar + 7, LIMIT_MS);
      if (strike !== undefined && !house.wasStruck()) throw new Error(`no program was started ${strike.at} times`);
      return {
        releases: await Promise.all(RELEASES.map(([release], index) => tell(house, release, { since: before[index] ?? 0, image }))),
        copies: copiesOf(house, commit),
        decisions: await answersTo(house, decisions),
        starts,
      };
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

async function dieAndComeBack(house: KilledHouse): Promise<void> {
  await until('it stands where it was struck', () => house.isStanding(), LIMIT_MS);
  await house.kill();
  house.start();
  house.free();
}

const quietFetches = (house: KilledHouse) => house.lines.filter((line) => line.includes(NO_NEWS)).length;
const imageOf = (image: number) => `registry.example.com/app:${image}`;

async function storedOf(house: KilledHouse, release: string): Promise<readonly { readonly revision: number; readonly status: string }[]> {
  const found: { revision: number; status: string }[] = [];
  for await (const { items } of house.cluster.list(SECRETS, { labelSelector: `owner=helm,name=${release}` }))
    for (const { metadata } of items) found.push({ revision: Number(metadata.labels?.version), status: metadata.labels?.status ?? '' });
  return found.sort((left, right) => left.revision - right.revision);
}

async function runningOf(house: KilledHouse, release: string): Promise<string> {
  return String(readField(await house.get(KINDS.deployment, release), 'spec', 'template', 'spec', 'containers', 0, 'image'));
}

async function isAt(house: KilledHouse, release: string, image: number): Promise<boolean> {
  return (await runningOf(house, release)) === imageOf(image) && (await storedOf(house, release)).at(-1)?.status === 'deployed';
}

async function tell(
  house: KilledHouse,
  release: string,
  { since, image }: { readonly since: number; readonly image: number },
): Promise<string> {
  const stored = (await storedOf(house, release)).filter(({ revision }) => revision >= since);
  const runs = (await runningOf(house, release)) === imageOf(image) ? 'the image of the commit' : 'another image';
  return `${release}: ${stored.map(({ revision, status }) => `${status} ${revision - since}`).join(', ')}, ${runs}`;
}

function commitImage({ repository }: KilledHouse, image: number): string {
  const { 'templates/deployment.yaml': template = '' } = aChart();
  const text = template.replace('app:1', `app:${image}`);
  return repository.commit(Object.fromEntries(RELEASES.map(([, , name]) => [`charts/${name}/templates/deployment.yaml`, text])));
}

/** Asks for each release to be looked at now, as its page does. */
async function decide(house: KilledHouse): Promise<readonly string[]> {
  return Promise.all(
    RELEASES.map(async ([, type, name]) => {
      const uid = (await house.get(type, name))?.metadata.uid;
      const spec = { releaseRef: { kind: type.kind, name, uid }, verb: 'sync', actor: { user: 'ada', groups: ['system:masters'] } };
      const { metadata } = await house.cluster.create({
        ...KINDS.releaseDecision,
        metadata: { generateName: `${name}-`, namespace: NAMESPACE },
        spec,
      });
      return metadata.name ?? '';
    }),
  );
}

function answersTo(house: KilledHouse, decisions: readonly string[]): Promise<readonly string[]> {
  return Promise.all(decisions.map(async (name) => String(readString((await house.get(KINDS.releaseDecision, name))?.status, 'phase'))));
}

function copiesOf({ repository }: KilledHouse, commit: string): readonly string[] {
  return readdirSync(repository.folder, { recursive: true, encoding: 'utf8' })
    .flatMap((file) => /\/exports\/([0-9a-f]{40})-\d+$/.exec(file)?.[1] ?? [])
    .map((revision) => (revision === commit ? 'newest' : 'older'))
    .sort();
}
