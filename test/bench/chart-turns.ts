import { KINDS } from '@/lib/kube/kinds';
import { createReleaseReader, ReleasePreviews } from '@/server/chartsync';
import { realClock } from '@/server/platform';
import { aChart } from '../support/chart-repository';
import { NAMESPACE, openChartGround } from './chart-ground';
import { openLoops } from './chart-loops';
import type { Figure } from './figure';
import type { Turns } from './turns';
import { measureTurns, turnFigures } from './turns';

const TEMPLATES = 10_000;
/** So many of them make an object each. */
const OBJECTS = 450;
const VALUES = 5000;
const CHART = 'large';

/** Whether everybody else has their turn while a release of 10 000 templates and 5000 values is installed, compared, looked at and shown. */
export async function benchChartTurns(): Promise<readonly Figure[]> {
  await using ground = await openChartGround([]);
  const templates = Array.from({ length: TEMPLATES }, (_, at) => [
    `templates/many/${at}.yaml`,
    `{{- if lt ${at} (int .Values.objects) }}\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: many-${at} }\ndata: { greeting: {{ .Values.of.v${at % VALUES} }} }\n{{- end }}\n`,
  ]);
  ground.repository.commitChart(CHART, aChart(Object.fromEntries(templates), CHART));
  await using loops = await openLoops(ground, { alwaysCompare: false });
  const { sync, renderDesk } = loops.parts;
  const at = { ...KINDS.helmRelease, namespace: NAMESPACE, name: CHART, release: { namespace: NAMESPACE, name: `${NAMESPACE}-${CHART}` } };
  const valuesOf = (greeting: string) => ({
    objects: OBJECTS,
    of: Object.fromEntries(Array.from({ length: VALUES }, (_, each) => [`v${each}`, `${greeting}-${each}-${'x'.repeat(40)}`])),
  });
  const spec = (greeting: string) => ({
    chart: { git: ground.repository.url, ref: 'main', path: `charts/${CHART}` },
    values: valuesOf(greeting),
  });
  await ground.cluster.create({ ...KINDS.helmRelease, metadata: { namespace: NAMESPACE, name: CHART }, spec: spec('hello') });
  const previews = new ReleasePreviews(realClock);
  previews.follow(() => renderDesk);
  await using reader = createReleaseReader({ cluster: ground.cluster, clock: realClock, previews, ...loops });
  const figures: Figure[] = [];
  const measure = async (what: string, work: () => Promise<unknown>) => figures.push(...toFigures(what, await measureTurns(work)));
  const pass = async (outcome: string, times: number) => {
    await sync.runSchedule();
    const found = await loops.looks(outcome);
    if (found !== times) throw new Error(`${found} looks came to ${outcome}, and not ${times}`);
  };
  while (loops.stores.every((store) => store.list().length === 0)) await realClock.sleep(20);
  await measure('large release, installed', () => pass('installed', 1));
  await measure('large release, compared by a dry run', () => pass('equal', 1));
  await measure('large release, unchanged', () => pass('unmoved', 1));
  await ground.cluster.patch(at, { type: 'merge', body: { spec: spec('good-day') } });
  await measure('large release, upgraded', () => pass('upgraded', 1));
  await measure('large release, two revisions shown with values hidden', () => reader.compare(at, { from: 1, to: 2, maySeeValues: false }));
  await measure('large release, shown three ways', () => reader.compareThree(at, { maySeeValues: false }));
  return figures;
}

function toFigures(what: string, { seconds, ...turns }: Turns): readonly Figure[] {
  return turnFigures(`${what} (${seconds.toFixed(1)} s)`, turns);
}
