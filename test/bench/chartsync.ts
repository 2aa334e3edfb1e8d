import { createHmac } from 'node:crypto';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import { Decoder } from '@/server/chartsync/helm/decoder';
import { HelmStorage } from '@/server/chartsync/helm/storage';
import { readDeclared } from '@/server/chartsync/model/declared';
import { realClock } from '@/server/platform';
import { openChartHouse } from '../house/chartsync-house';
import { aChart } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartGround, Copied } from './chart-ground';
import { copyReleases, NAMESPACE, openChartGround } from './chart-ground';
import type { Loops } from './chart-loops';
import { openLoops } from './chart-loops';
import { benchChartOverview } from './chart-overview';
import type { Figure } from './figure';
import { forEachAtOnce, median, repeated, timed } from './measure';

const RELEASES = 200;
const CHARTS = 20;
const PASSES = 5;
const ROUNDS = 2;
const NEVER_MS = 3_600_000;
const KEY = 'webhook-key-of-the-benchmark';
const charts = Array.from({ length: CHARTS }, (_, at) => `c-${at}`);
const releases: readonly Copied[] = Array.from({ length: RELEASES }, (_, at) => ({
  name: `${NAMESPACE}-r-${at}`,
  chart: charts[at % CHARTS] ?? '',
}));

/** What chart sync costs beside Helm in a shell, and beside nothing to do. */
export async function benchChartSync(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  {
    await using ground = await openChartGround(charts);
    await copyReleases(ground, releases);
    await forEachAtOnce(releases, 8, ({ name, chart }) => {
      const metadata = { namespace: NAMESPACE, name: name.slice(NAMESPACE.length + 1) };
      return ground.cluster.create({ ...KINDS.fluxHelmRelease, metadata, spec: { chartGitPath: chart, values: {} } });
    });
    figures.push(await literalPass(ground));
    await using loops = await openLoops(ground, { alwaysCompare: false });
    figures.push(...(await unchangedPasses(ground, loops)), ...(await commitOfOneChart(ground, loops)));
  }
  const repository = await webhook();
  return [...figures, ...repository, ...(await benchChartOverview())];
}

const helmRuns = (ground: ChartGround) => ground.calls().filter((line) => line.startsWith('helm ') && !line.includes(' version '));

/** A pass that compares everything by a dry run, beside the same dry runs in a shell, half of them before and half after. */
async function literalPass(ground: ChartGround): Promise<Figure> {
  const commands = releases.map(
    ({ name, chart }) =>
      `echo '{}' | "${ground.helm}" upgrade ${name} "${ground.chartFolder(chart)}" --namespace ${NAMESPACE} --dry-run=server --values - --reset-values --history-max 10 --output json > /dev/null`,
  );
  await using loops = await openLoops(ground, { alwaysCompare: true });
  const half = RELEASES / 2;
  let byHand = await timed(() => ground.shell(commands.slice(0, half)));
  const before = helmRuns(ground).length;
  const value = await timed(() => loops.parts.sync.runSchedule());
  const [ran, equal] = [helmRuns(ground).length - before, await loops.looks('equal')];
  if (ran !== RELEASES || equal !== RELEASES)
    throw new Error(`${ran} runs of Helm and ${equal} equal releases are no pass over ${RELEASES}`);
  byHand += await timed(() => ground.shell(commands.slice(half)));
  return {
    what: `pass over ${RELEASES} releases, --charts-always-compare`,
    value: value / 1000,
    unit: 's',
    beside: { what: 'helm upgrade --dry-run=server of each in a shell', value: byHand / 1000 },
    limit: { of: 'ratio', atMost: 1.2 },
  };
}

/** Passes over releases that were found equal once, with a mirror that runs beside. */
async function unchangedPasses(ground: ChartGround, { parts, looks }: Loops): Promise<readonly Figure[]> {
  await parts.sync.runSchedule();
  const ending = new AbortController();
  const before = ground.calls().length;
  const fetching = parts.mirror.run(ending.signal);
  const times = await repeated(PASSES, () => timed(() => parts.sync.runSchedule()));
  ending.abort(new Error('the passes have ended'));
  await fetching;
  const calls = ground.calls().slice(before);
  const unmoved = await looks('unmoved');
  if (unmoved !== RELEASES * PASSES) throw new Error(`${unmoved} of ${RELEASES * PASSES} looks found nothing moved`);
  const counted = (what: string, value: number, atMost: number): Figure => ({ what, value, unit: 'runs', limit: { of: 'value', atMost } });
  return [
    {
      what: `pass over ${RELEASES} unchanged releases`,
      value: median(times) / 1000,
      unit: 's',
      beside: { what: 'longest', value: Math.max(...times) / 1000 },
      limit: { of: 'value', atMost: 2 },
    },
    counted(`Helm in ${PASSES} such passes`, calls.filter((line) => line.startsWith('helm ')).length, 0),
    counted(`git fetch in ${PASSES} such passes`, calls.filter((line) => line.startsWith('git ') && line.includes(' fetch ')).length, 1),
  ];
}

/** Upgrades of the releases of one chart for a commit, by the git side and by hand, in turns. */
async function commitOfOneChart(ground: ChartGround, { parts, looks }: Loops): Promise<readonly Figure[]> {
  const [chart = ''] = charts;
  const touched = releases.filter((release) => release.chart === chart);
  const signal = new AbortController().signal;
  let image = 1;
  const commit = () => {
    const { 'templates/deployment.yaml': template = '' } = aChart({}, chart);
    image++;
    ground.repository.commitChart(chart, { 'templates/deployment.yaml': template.replace('app:1', `app:${image}`) });
  };
  const commands = touched.map(
    ({ name }) =>
      `echo '{}' | "${ground.helm}" upgrade ${name} "${ground.chartFolder(chart)}" --namespace ${NAMESPACE} --values - --reset-values --history-max 10 --timeout 300s --output json > /dev/null`,
  );
  const [byEngine, byHand, marks]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    commit();
    byHand.push(await timed(() => ground.shell(commands)));
    commit();
    await parts.mirror.advance(signal);
    const before = await looks('upgraded');
    byEngine.push(await timed(() => parts.sync.takeChange()));
    const upgraded = (await looks('upgraded')) - before;
    if (upgraded !== touched.length) throw new Error(`${upgraded} of ${touched.length} releases were upgraded`);
    marks.push(await timed(() => markAgain(ground, touched)));
  }
  return [
    {
      what: `upgrade for a commit, without the mark, of ${touched.length} releases`,
      value: (median(byEngine) - median(marks)) / touched.length,
      unit: 'ms',
      beside: { what: 'helm upgrade by hand', value: median(byHand) / touched.length },
      limit: { of: 'ratio', atMost: 1.3 },
    },
    { what: 'the mark on the objects of a release', value: median(marks) / touched.length, unit: 'ms' },
  ];
}

/** Marks what is marked already, one release after the other: the same requests as after an upgrade. */
async function markAgain({ cluster }: ChartGround, touched: readonly Copied[]): Promise<void> {
  await using decoder = new Decoder();
  const live = new LiveObjects({ storage: new HelmStorage(cluster, decoder), clusterFor: () => cluster, cluster, clock: realClock });
  for (const { name } of touched) {
    const at = { ...KINDS.fluxHelmRelease, namespace: NAMESPACE, name: name.slice(NAMESPACE.length + 1) };
    const { release, mark } = readDeclared(await cluster.get(at));
    await live.mark({ release, onBehalfOf: { namespace: NAMESPACE, account: undefined } }, mark);
  }
}

/** A commit that touches one of ten charts, from the call of the git server until its objects have it. */
async function webhook(): Promise<readonly Figure[]> {
  await using ground = await openChartGround(charts.slice(0, 10));
  await using house = await openChartHouse(ground.repository, { pollMs: NEVER_MS, intervalMs: NEVER_MS, helm: ground.helm });
  const data = { webhook: Buffer.from(KEY).toString('base64') };
  await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'push' }, data });
  for (const chart of charts.slice(0, 10)) await house.declare(chart, { chartGitPath: chart, values: {} });
  const annotated = { metadata: { annotations: { 'slipway.dev/webhook-secret': 'push' } } };
  await house.cluster.patch({ ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'c-0' }, { type: 'merge', body: annotated });
  for (const chart of charts.slice(0, 10))
    await until(`${chart} is installed`, () => house.tell(chart)?.lastAct?.storedRevision === 1, NEVER_MS);
  const before = helmRuns(ground).length;
  ground.repository.commitChart('c-0', { 'values.yaml': 'replicas: 3\n' });
  const body = Buffer.from('{"ref":"refs/heads/main"}');
  const headers = { 'x-hub-signature-256': `sha256=${createHmac('sha256', KEY).update(body).digest('hex')}` };
  const ms = await timed(async () => {
    await house.hooks.deliver(house.tell('c-0')?.webhook?.id ?? '', { headers, body });
    await until('the commit is live', async () => readField(await house.get(KINDS.deployment, 'pay-c-0'), 'spec', 'replicas') === 3);
  });
  await until('the act is told', () => house.tell('c-0')?.lastAct?.storedRevision === 2);
  const runs = helmRuns(ground).slice(before);
  return [
    {
      what: 'commit that touches one of 10 charts, from the webhook until it is live',
      value: ms / 1000,
      unit: 's',
      limit: { of: 'value', atMost: 10 },
    },
    { what: 'Helm for that commit', value: runs.length, unit: 'runs', limit: { of: 'value', atMost: 1 } },
  ];
}
