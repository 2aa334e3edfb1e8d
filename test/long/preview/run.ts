import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { Tally } from '../../support/preview-runs';
import { emptyTally, livePreviewRun } from '../../support/preview-runs';
import { PreviewWorld } from '../../support/preview-world';

const TABLE = 'docs/measured/preview.md';
const RUNS = 10_000;
/** So many runs share a cluster. */
const PIECE = 100;
/** One run in so many is of an application that is rolled out in stages, which takes longer. */
const STAGED_OF = 50;
const MOST_TOLD = 20;

/** Changes random applications by the product's commands and engine, and compares what was previewed with what is in the cluster afterwards. */
export async function testPreview(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { runs: { type: 'string' }, from: { type: 'string' } } });
  const runs = Number(values.runs ?? RUNS);
  const from = Number(values.from ?? 0);
  const plain = emptyTally();
  const staged = emptyTally();
  const broken: string[] = [];
  const began = realClock.now();
  for (let at = from; at < from + runs; at += PIECE) {
    const until = Math.min(at + PIECE, from + runs);
    broken.push(...(await live(at, until, plain, false)));
    broken.push(...(await live(1_000_000 + at, 1_000_000 + at + Math.floor((until - at) / STAGED_OF), staged, true)));
    console.log(`${until - from} of ${runs} runs, ${broken.length} not as previewed`);
  }
  const text = toPage({ plain, staged, broken, from, seconds: Math.round((realClock.now() - began) / 1000) });
  console.log(text);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, text);
  return broken.length === 0;
}

async function live(from: number, until: number, tally: Tally, isAlive: boolean): Promise<readonly string[]> {
  const broken: string[] = [];
  await using world = await new PreviewWorld({ isAlive }).open();
  for (let seed = from; seed < until; seed++) broken.push(...(await livePreviewRun(world, seed, tally)));
  return broken;
}

interface Outcome {
  readonly plain: Tally;
  readonly staged: Tally;
  readonly broken: readonly string[];
  readonly from: number;
  readonly seconds: number;
}

function toPage({ plain, staged, broken, from, seconds }: Outcome): string {
  const rows: readonly (readonly [string, keyof Tally])[] = [
    ['runs, each an application that is changed twice', 'runs'],
    ['changes that were asked for', 'changes'],
    ['executed', 'executed'],
    ['waited, since reality had moved, and were accepted as they would be then', 'moved'],
    ['refused to the second of two people', 'conflicts'],
    ['refused as they were written, or for lack of a right', 'refused'],
    ['objects in executed plans', 'objects'],
    ['objects deleted', 'deleted'],
    ['rows masked for whoever looked', 'masked'],
  ];
  const count = (tally: Tally, what: keyof Tally) => tally[what].toLocaleString('en');
  const failures =
    broken.length === 0
      ? 'Nothing was otherwise than previewed.'
      : broken
          .slice(0, MOST_TOLD)
          .map((one) => `- ${one}`)
          .join('\n');
  return `# Preview = executed

Made by \`npm run test:long -- preview\` on ${toKubeTime(realClock.now()).slice(0, 10)}, seeds from ${from}, in ${seconds} s; what is asked for is 10,000 runs.
Random applications, people, changes and interleavings on the embedded cluster, by the product's own commands and engines; what is in the cluster before
and after is compared with what was previewed, object by object. \`test/house/preview.test.ts\` keeps 300 of them in CI.

| | in one step | in stages |
| --- | --- | --- |
${rows.map(([what, name]) => `| ${what} | ${count(plain, name)} | ${count(staged, name)} |`).join('\n')}
| **objects that were otherwise than previewed** | **${broken.length}** | |

${failures}
`;
}
