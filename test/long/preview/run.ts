import { fork } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { Tally } from '../../support/preview/preview-runs';
import { emptyTally } from '../../support/preview/preview-runs';
import { livePiece } from './live-piece';
import type { Piece, PieceOutcome } from './tally';
import { addTallies } from './tally';

const TABLE = 'docs/measured/preview.md';
const RUNS = 10_000;
/** One run in so many is in stages besides, unless it is told how many. */
const STAGED_OF = 50;
const FIRST_STAGED = 1_000_000;
/** So many runs share a cluster, and so many in stages. */
const PIECE = 100;
const STAGED_PIECE = 10;
const MAX_TOLD = 20;

/** Changes random applications by the product's commands and engine, and compares what was previewed with what is in the cluster afterwards. */
export async function testPreview(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { runs: TEXT, staged: TEXT, from: TEXT, processes: TEXT } });
  const runs = Number(values.runs ?? RUNS);
  const from = Number(values.from ?? 0);
  const processes = Number(values.processes ?? 1);
  const inStages = Number(values.staged ?? Math.ceil(runs / STAGED_OF));
  const pieces = [
    ...toPieces({ from: FIRST_STAGED + from, runs: inStages, isStaged: true }, STAGED_PIECE),
    ...toPieces({ from, runs, isStaged: false }, PIECE),
  ];
  let sum: PieceOutcome = { plain: emptyTally(), staged: emptyTally(), broken: [] };
  const began = realClock.now();
  const take = ({ plain, staged, broken }: PieceOutcome) => {
    sum = { plain: addTallies(sum.plain, plain), staged: addTallies(sum.staged, staged), broken: [...sum.broken, ...broken] };
    for (const sentence of broken) console.log(sentence);
    console.log(`${sum.plain.runs} of ${runs} runs, ${sum.staged.runs} of ${inStages} in stages, ${sum.broken.length} not as previewed`);
  };
  if (processes > 1) await inProcesses(pieces, processes, take);
  else for (const piece of pieces) take(await livePiece(piece));
  const text = toPage({ ...sum, from, seconds: Math.round((realClock.now() - began) / 1000), processes });
  console.log(text);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, text);
  return sum.broken.length === 0;
}

const TEXT = { type: 'string' } as const;

function toPieces({ from, runs, isStaged }: Piece, size: number): readonly Piece[] {
  return Array.from({ length: Math.ceil(runs / size) }, (_, at) => ({
    from: from + at * size,
    runs: Math.min(size, runs - at * size),
    isStaged,
  }));
}

/** Each process lives one piece after the other, whichever is next. */
async function inProcesses(pieces: readonly Piece[], processes: number, take: (outcome: PieceOutcome) => void): Promise<void> {
  const left = [...pieces];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(path.resolve('test/long/preview/live-piece.ts'));
      const next = () => {
        const piece = left.shift();
        if (piece === undefined) child.disconnect();
        else child.send(piece);
      };
      child.on('message', (outcome: PieceOutcome) => {
        take(outcome);
        next();
      });
      child.on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process of the runs ended with ${code}`))));
      next();
    });
  await Promise.all(Array.from({ length: processes }, work));
}

const WORDS: Readonly<Record<string, string>> = {
  again: 'the same was applied twice',
  cut: 'the engine lost the cluster at any one request, and was started again',
  edited: 'somebody edited an object',
  foreign: 'it was sent with the plan of another change',
  gone: 'what was to go went by itself',
  'held approved': 'what waited for a decision was approved',
  'held gone': 'one of what waited went before it was approved',
  'held replaced': 'one of what waited was replaced before it was approved',
  'held stays': 'one of what waited asked to stay before it was approved',
  kubectl: 'somebody changed the application by kubectl first',
  labelled: 'another controller labelled an object',
  'late abort': 'aborted in mid-rollout, and tried again',
  'late gone': 'what was to go went in mid-rollout',
  'late replaced': 'what was to go was replaced in mid-rollout',
  'late restart': 'the engine was started again in mid-rollout',
  'late stays': 'what was to go asked to stay in mid-rollout',
  made: 'somebody made what was to be made',
  misnoted: 'the plan was exchanged by kubectl',
  quick: 'changed once more before anything was done',
  refusal: 'the cluster refused an object for a while',
  relabelled: 'the labels of the application were changed by kubectl',
  removed: 'somebody removed an object that stays',
  restart: 'the engine was started again at once',
  rights: 'whoever asked lost their rights for a while',
  second: 'somebody else changed the application first',
  shared: 'another application took what was to be made',
  status: 'a controller wrote status',
  stays: 'what was to go asked to stay',
  unnoted: 'the plan was taken off by kubectl',
  yields: 'another application gave up what was refused because of it',
};

interface Outcome {
  readonly plain: Tally;
  readonly staged: Tally;
  readonly broken: readonly string[];
  readonly from: number;
  readonly seconds: number;
  readonly processes: number;
}

function toPage({ plain, staged, broken, from, seconds, processes }: Outcome): string {
  const rows: readonly (readonly [string, Exclude<keyof Tally, 'met'>])[] = [
    ['runs, each an application that is changed twice or three times', 'runs'],
    ['changes that were asked for', 'changes'],
    ['executed', 'executed'],
    ['waited, since reality had moved, and were accepted as they would be then', 'moved'],
    ['refused to the second of two people', 'conflicts'],
    ['refused as they were written, or for lack of a right', 'refused'],
    ['objects in executed plans', 'objects'],
    ['objects deleted', 'deleted'],
    ['rows masked for whoever looked', 'masked'],
  ];
  const count = (tally: Tally, what: Exclude<keyof Tally, 'met'>) => tally[what].toLocaleString('en');
  const failures =
    broken.length === 0
      ? 'Nothing was otherwise than previewed.'
      : broken
          .slice(0, MAX_TOLD)
          .map((one) => `- ${one}`)
          .join('\n');
  return `# Preview = executed

Made by \`npm run test:long -- preview\` on ${toKubeTime(realClock.now()).slice(0, 10)}, seeds from ${from}, those in stages from ${FIRST_STAGED + from}, in ${seconds} s${processes > 1 ? ` by ${processes} processes beside other work` : ''}.
Random applications, people, changes and interleavings on the embedded cluster, by the product's own commands and engines; what is in the cluster before
and after is compared with what was previewed, object by object. \`test/house/preview.test.ts\` keeps 300 of them in CI.

| | in one step | in stages |
| --- | --- | --- |
${rows.map(([what, name]) => `| ${what} | ${count(plain, name)} | ${count(staged, name)} |`).join('\n')}
| **objects that were otherwise than previewed** | **${broken.length}** | |

${failures}

What happened between the preview and the end, how often it met something:

| | in one step | in stages |
| --- | --- | --- |
${troubles({ plain, staged })}
`;
}

function troubles({ plain, staged }: Pick<Outcome, 'plain' | 'staged'>): string {
  const names = [...new Set([...Object.keys(plain.met), ...Object.keys(staged.met)])].sort();
  const count = (tally: Tally, name: string) => (tally.met[name] ?? 0).toLocaleString('en');
  return names.map((name) => `| ${WORDS[name] ?? name} | ${count(plain, name)} | ${count(staged, name)} |`).join('\n');
}
