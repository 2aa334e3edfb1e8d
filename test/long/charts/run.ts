import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { realClock } from '@/server/platform';
import { playLoops } from '../../support/chart-loops';

const TABLE = 'docs/measured/charts.md';
const RUNS = 20_000;
const MAX_TOLD = 20;

/** Plays random lives of chart sync on fakes of git, Helm and the cluster, and tells which promises of the loops did not hold. */
export async function testCharts(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { runs: { type: 'string' }, from: { type: 'string' } } });
  const [runs, from] = [Number(values.runs ?? RUNS), Number(values.from ?? 1)];
  const began = realClock.now();
  const broken: string[] = [];
  let acts = 0;
  for (let seed = from; seed < from + runs; seed++) {
    const run = await playLoops(seed);
    acts += run.acts;
    for (const sentence of run.broken) broken.push(`run ${seed}: ${sentence}`);
  }
  const seconds = Math.round((realClock.now() - began) / 1000);
  const text = [
    '# Random lives of chart sync',
    '',
    'Made by `npm run test:long -- charts`. Promises: one act per release at a time; no commit released twice to one release; no commit that the git side has not taken,',
    'or that nobody approved; nothing uninstalled but by deletion of its object.',
    '',
    '| runs | from seed | acts | seconds | broken |',
    '| --- | --- | --- | --- | --- |',
    `| ${runs} | ${from} | ${acts} | ${seconds} | ${broken.length} |`,
    ...(broken.length === 0 ? [] : ['', ...broken.slice(0, MAX_TOLD).map((sentence) => `- ${sentence}`)]),
    '',
  ].join('\n');
  console.log(text);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, text);
  return broken.length === 0;
}
