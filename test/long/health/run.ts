import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { ComputeOptions } from '@/server/status';
import { StatusRules } from '@/server/status';
import { compute } from '@/server/status/compute';
import type { HealthCase } from './cases';
import { readCases } from './cases';
import type { Aims, Figures, Told } from './figures';
import { reaches, toFigures } from './figures';

const TABLE = 'docs/measured/health.md';
const AIMS: Aims = { agreed: 0.8, currentWhereBroken: 0.03, currentWhereNotDone: 0.06, notCurrentWhereHealthy: 0.02 };
const LUA_AIMS: Aims = { agreed: 0.99, currentWhereBroken: 1, currentWhereNotDone: 1, notCurrentWhereHealthy: 1 };
/** A status that is not there yet: the Lua thread is asked in the background when there is much to do in one turn. */
const LATER = /is being asked|takes longer than|waits for its thread/;

interface Row {
  readonly name: string;
  readonly figures: Figures;
  readonly aims?: Aims;
}

/** Compares statuses with the health that Argo CD's own tests expect, without and with its own checks in Lua. */
export async function testHealth(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { 'argo-cd': { type: 'string' } } });
  const folder = values['argo-cd'];
  if (folder === undefined)
    throw new Error('--argo-cd must be a folder with resource_customizations/ and gitops-engine/pkg/health/ of argoproj/argo-cd');
  const cases = readCases(folder);
  const ofLua = cases.filter(({ from }) => from === 'Lua');
  const ofGo = cases.filter(({ from }) => from === 'Go');
  await using house = await StatusRules.open({}, realClock);
  await using lua = await StatusRules.open({ healthLua: path.join(folder, 'resource_customizations') }, realClock);
  const rows: Row[] = [
    { name: 'kstatus alone', figures: toFigures(await notifyAll(cases, {})) },
    { name: 'readings alone, no rule of any kind', figures: toFigures(await notifyAll(cases, { profile: 'health' })) },
    { name: 'the product: kinds that Argo CD has a Lua check for', figures: toFigures(await notifyAll(ofLua, house.options)) },
    { name: 'the product: kinds that Argo CD checks itself', figures: toFigures(await notifyAll(ofGo, house.options)) },
    { name: 'the product: all', figures: toFigures(await notifyAll(cases, house.options)), aims: AIMS },
    {
      name: 'the product with Argo CD’s Lua checks: kinds that have one',
      figures: toFigures(await notifyAll(ofLua, lua.options)),
      aims: LUA_AIMS,
    },
  ];
  const text = toPage(rows);
  console.log(text);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, text);
  return rows.every(({ figures, aims }) => aims === undefined || reaches(figures, aims));
}

async function notifyAll(cases: readonly HealthCase[], options: ComputeOptions): Promise<readonly Told[]> {
  const told: Told[] = [];
  for (const one of cases) told.push({ expected: one.expected, found: await tell(one, options) });
  return told;
}

async function tell({ object }: HealthCase, options: ComputeOptions): Promise<string> {
  for (;;) {
    try {
      const { status, message } = compute(object, realClock.now(), options);
      if (!LATER.test(message)) return status;
    } catch {
      return 'Unknown';
    }
    await realClock.sleep(5);
  }
}

function toPage(rows: readonly Row[]): string {
  const lines = rows.map(({ name, figures, aims }) => {
    const { cases, agreed, currentWhereBroken, currentWhereNotDone, notCurrentWhereHealthy } = figures;
    const share = (count: number) => `${count} (${((100 * count) / cases).toFixed(1)}%)`;
    const verdict = aims === undefined ? '' : reaches(figures, aims) ? 'reached' : 'missed';
    return `| ${name} | ${cases} | ${[agreed, currentWhereBroken, currentWhereNotDone, notCurrentWhereHealthy].map(share).join(' | ')} | ${verdict} |`;
  });
  return `# Health, beside Argo CD's own tests

Made by \`npm run test:long -- health --argo-cd FOLDER\` on ${toKubeTime(realClock.now()).slice(0, 10)}; the folder is \`resource_customizations/\` and
\`gitops-engine/pkg/health/\` of argoproj/argo-cd, brought along. Two things are put right before comparing: a condition whose status is written as
a boolean, and an object that is being deleted counts as Progressing.

Agreement: Healthy = Current; Progressing = InProgress or Terminating; Degraded = Failed; Missing = NotFound; Unknown = Unknown or InProgress;
Suspended = Current or InProgress. Aimed at over all cases: agreement at least 80%, Current where broken at most 3%, Current where not done at
most 6%, not Current where healthy at most 2%; with Argo CD's checks in Lua agreement of at least 99%.

| | cases | agreed | Current where broken | Current where not done | not Current where healthy | aim |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
}
