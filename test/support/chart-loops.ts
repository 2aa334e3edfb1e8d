import type { KubeObject } from '@/lib/kube/object';
import { readDeclared } from '@/server/chartsync/model/declared';
import { releaseKey } from '@/server/chartsync/model/release';
import { createRandom } from '@/server/platform';
import { Harness } from '../cases/chartsync/harness';
import type { Chart, Commit, Fault, Resource, Step, World } from '../cases/chartsync/world';
import { toObject } from '../cases/chartsync/world';
import { LoopInvariants } from './chart-loops-invariants';

const NAMESPACE = 'pay';
const PATHS = ['charts/a', 'charts/b'] as const;
const RESOURCES: readonly Resource[] = [
  { kind: 'FluxHelmRelease', namespace: NAMESPACE, name: 'one', spec: { chartGitPath: 'a', values: {} } },
  { kind: 'FluxHelmRelease', namespace: NAMESPACE, name: 'two', spec: { chartGitPath: 'b', values: {} } },
  { kind: 'FluxHelmRelease', namespace: NAMESPACE, name: 'gated', spec: { chartGitPath: 'a', values: {} } },
  { kind: 'HelmRelease', namespace: NAMESPACE, name: 'three', spec: { chart: { git: 'repo', ref: 'main', path: 'charts/a' }, values: {} } },
  {
    kind: 'HelmRelease',
    namespace: NAMESPACE,
    name: 'four',
    spec: { chart: { git: 'repo', ref: 'main', path: 'charts/b' }, rollback: { enable: true } },
  },
];
const GATED = `${NAMESPACE}/gated`;
const GATED_RELEASE = `${NAMESPACE}-gated`;
const FAULTS = [
  'readRelease',
  'dryRun',
  'install',
  'upgrade',
  'annotate',
  'listNamespaces',
  'listResources',
  'gitRevision',
  'gitExport',
  'gitLog',
  'gitFetch',
];
const COMMITS = 10;
const STEPS = 40;

type Dice = (sides: number) => number;

/** What one run came to: the broken promises, and how much was done. */
export interface LoopRun {
  readonly broken: readonly string[];
  readonly acts: number;
}

/**
 * Plays one random life of chart sync: commits and force pushes, edits, deletions, outages, approvals and releases made by hand, some of them beside
 * each other, and then a time in which nothing fails.
 */
export async function playLoops(seed: number): Promise<LoopRun> {
  const random = createRandom(seed);
  const dice: Dice = (sides) => Math.floor(random() * sides);
  const commits = someCommits(dice);
  const given: World = {
    git: { commits, upstreamHead: 'c0' },
    cluster: { namespaces: [NAMESPACE], resources: RESOURCES, helm: [] },
    faults: someFaults(dice),
  };
  const approved = new Set<string>();
  const invariants = new LoopInvariants({ gated: GATED, approved, starts: 'c0' });
  const harness = new Harness(
    { given },
    {
      alwaysCompare: dice(2) === 0,
      gate: {
        commitFor: async (resource) => (resource.key === GATED ? ([...approved].at(-1) ?? null) : undefined),
        dependenciesFor: () => undefined,
        archiveFor: async (_resource, { found }) => ({ chart: found }),
        isGated: ({ key }) => key === GATED,
        requireCommit: async () => undefined,
        lostWhileHeld: async () => undefined,
        forget: () => undefined,
      },
      takes: async () => {
        for (let turns = dice(4); turns > 0; turns--) await new Promise<void>((resolve) => void setImmediate(resolve));
      },
      onAction: (action) => invariants.hear(action, (release) => harness.helm.newest({ namespace: NAMESPACE, name: release })),
    },
  );
  await harness.prepare();
  for (const { kind: _kind, namespace, name } of RESOURCES) await harness.play({ do: 'resourceAdded', key: `${namespace}/${name}` });
  for (let step = 0; step < STEPS; step++) await aStep({ harness, dice, invariants, commits, approved });
  await atRest(harness);
  return {
    broken: [...invariants.broken, ...(harness.helm.mostAtOnce > 1 ? ['two acts ran on one release at once'] : [])],
    acts: harness.actions.length,
  };
}

interface Life {
  readonly harness: Harness;
  readonly dice: Dice;
  readonly invariants: LoopInvariants;
  readonly commits: readonly Commit[];
  /** The last one counts. */
  readonly approved: Set<string>;
}

async function aStep(life: Life): Promise<void> {
  const { harness, dice, commits } = life;
  const background = dice(3) === 0;
  const play = (step: Step) => harness.play({ ...step, background });
  switch (dice(12)) {
    case 0:
    case 1:
    case 2:
      await harness.play({ do: 'push', head: commits[dice(commits.length)]?.id ?? 'c0' });
      return play({ do: 'fetch' });
    case 3:
      return play({ do: 'fetch', deliver: false });
    case 4:
      return play({ do: 'deliver' });
    case 5:
    case 6:
      return play({ do: 'tick' });
    case 7:
      return edit(life, background);
    case 8:
      return byHand(life);
    case 9:
      return play({ do: 'statusTick' });
    case 10:
      return approve(life);
    default:
      return goOrCome(life, background);
  }
}

/** A mirror that failed is tried again by the clock; here a fetch is that. */
async function atRest(harness: Harness): Promise<void> {
  await harness.finish();
  harness.heal();
  for (let round = 0; round < 3; round++) for (const step of ['mirrorReady', 'tick', 'statusTick']) await harness.play({ do: step });
  await harness.finish();
}

const keyOf = ({ namespace, name }: Pick<Resource, 'namespace' | 'name'>) => `${namespace}/${name}`;

async function edit({ harness, dice, invariants }: Life, background: boolean): Promise<void> {
  const resource = RESOURCES[dice(RESOURCES.length)];
  const object = resource && harness.resources.get(keyOf(resource));
  if (resource === undefined || object === undefined) return;
  invariants.changed(releaseOf(object));
  await harness.play({
    do: 'resourceUpdated',
    key: keyOf(resource),
    spec: { ...resource.spec, values: { replicas: dice(4) } },
    background,
  });
}

async function goOrCome({ harness, dice, invariants }: Life, background: boolean): Promise<void> {
  const resource = RESOURCES[dice(RESOURCES.length)];
  if (resource === undefined) return;
  const object = harness.resources.get(keyOf(resource));
  invariants.changed(releaseOf(object ?? toObject(resource)));
  if (object === undefined) return harness.play({ do: 'resourceAdded', resource, background });
  invariants.deleted(releaseOf(object));
  await harness.play({ do: 'resourceDeleted', key: keyOf(resource), background });
}

/** Somebody uses Helm; what Helm is in the middle of nobody does beside it. */
async function byHand({ harness, dice, invariants, commits }: Life): Promise<void> {
  const resource = RESOURCES[dice(RESOURCES.length)];
  if (resource === undefined) return;
  const name = releaseOf(toObject(resource));
  const chart = commits[dice(commits.length)]?.charts?.[PATHS[dice(2)] ?? ''] ?? {};
  invariants.changed(name);
  const status = (['deployed', 'deployed', 'failed', 'pending-upgrade', 'superseded'] as const)[dice(5)] ?? 'deployed';
  await harness.play({ do: 'outOfBand', namespace: NAMESPACE, release: name, chart, status, gone: dice(6) === 0 });
}

async function approve({ harness, dice, invariants, commits, approved }: Life): Promise<void> {
  const commit = commits[dice(commits.length)]?.id ?? 'c0';
  invariants.changed(GATED_RELEASE); // whoever approves has it released, whatever it is at
  approved.delete(commit);
  approved.add(commit);
  const object = harness.resources.get(GATED);
  if (object !== undefined) await harness.engine.releaseApproved(readDeclared(object));
}

function releaseOf(object: KubeObject): string {
  return releaseKey(readDeclared(object).release).slice(NAMESPACE.length + 1);
}

/** A tree of commits: most follow each other, some fork, some touch nothing, some cannot be rendered, some take a chart away. */
function someCommits(dice: Dice): readonly Commit[] {
  const first: Commit = { id: 'c0', charts: Object.fromEntries(PATHS.map((path) => [path, chartOf('c0', path)])) };
  return Array.from({ length: COMMITS }, (_, at): Commit => {
    if (at === 0) return first;
    const id = `c${at}`;
    const parent = `c${dice(4) === 0 ? dice(at) : at - 1}`;
    const touched = PATHS.filter(() => dice(2) === 0);
    const charts = Object.fromEntries(
      touched.map((path) => [
        path,
        dice(12) === 0 ? null : { ...chartOf(id, path), ...(dice(10) === 0 ? { broken: 'cannot render' } : {}) },
      ]),
    );
    return { id, parent, charts };
  });
}

function chartOf(id: string, path: string): Chart {
  return { templates: [['templates/all.yaml', `${path} at ${id}`]] };
}

function someFaults(dice: Dice): readonly Fault[] {
  return Array.from({ length: dice(6) }, () => {
    const on = FAULTS[dice(FAULTS.length)] ?? 'dryRun';
    return {
      on,
      error: `${on} is out`,
      after: dice(12),
      times: 1 + dice(4),
      ...(dice(2) === 0 ? { leaves: 'failed' as const } : { leaves: 'nothing' as const }),
    };
  });
}
