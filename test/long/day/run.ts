import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { toKubeTime } from '@/lib/std/instant';
import { createRandom, realClock } from '@/server/platform';
import { Dice } from '../../support/preview/random-application';
import { startDayServer } from './day-server';
import type { DayFigures } from './figures';
import { takeFigures } from './figures';
import type { Done } from './traffic';
import { DayTraffic } from './traffic';

const TABLE = 'docs/measured/day.md';
const HOURS = 24;
/** Windows over what was last, such as that over the record, are full by then. */
const FIRST_COMPARED = 2;
const MAX_GROWTH = 1.05;
const HOUR_MINUTES = 60;
const MIB = 1024 * 1024;

interface Hour extends DayFigures {
  readonly hour: number;
  readonly acts: number;
}

/** Lives a day of random traffic, and compares what the server holds at its end with what it held at the second hour. */
export async function testDay(args: readonly string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { hours: text, seed: text, snapshots: text } });
  const [hours, seed] = [Number(values.hours ?? HOURS), Number(values.seed ?? 1)];
  const began = realClock.now();
  await using server = await startDayServer();
  const traffic = new DayTraffic(server, new Dice(createRandom(seed)));
  await traffic.begin();
  await traffic.fillRecord();
  const told: Hour[] = [];
  for (let hour = 1; hour <= hours; hour++) {
    const end = server.day.passedMs() + HOUR_MINUTES * 60_000;
    while (server.day.passedMs() < end - traffic.restMs) await traffic.minute();
    await traffic.rest();
    const snapshot =
      values.snapshots !== undefined && (hour === FIRST_COMPARED || hour === hours)
        ? path.join(values.snapshots, `${hour}.heapsnapshot`)
        : undefined;
    const row = { hour, acts: sum(traffic.done()), ...(await takeFigures(server, snapshot)) };
    told.push(row);
    console.log(toRow(row), JSON.stringify(row.objects), `${Math.round((realClock.now() - began) / 1000)} s`);
  }
  const seconds = Math.round((realClock.now() - began) / 1000);
  const outcome = { told, done: traffic.done(), seed, seconds };
  const page = toPage(outcome);
  console.log(page);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, page);
  return isSteady(told);
}

const sum = (done: Done) => Object.values(done).reduce((all, one) => all + one, 0);
const open = ({ handles }: Pick<DayFigures, 'handles'>) =>
  Object.entries(handles)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

interface Comparison {
  readonly growth: number;
  readonly isOpenSame: boolean;
}

/** Undefined as long as there are not two hours to compare. */
function compared(told: readonly Hour[]): Comparison | undefined {
  const [early, late] = [told.find(({ hour }) => hour === FIRST_COMPARED), told.at(-1)];
  if (early === undefined || late === undefined || late.hour <= FIRST_COMPARED) return undefined;
  return { growth: late.heapBytes / early.heapBytes, isOpenSame: open(early) === open(late) };
}

function isSteady(told: readonly Hour[]): boolean {
  const found = compared(told);
  return found !== undefined && found.growth <= MAX_GROWTH && found.isOpenSame;
}

const toRow = ({ hour, acts, heapBytes, codeBytes, objects, timers, ...figures }: Hour) =>
  `| ${hour} | ${acts} | ${(heapBytes / MIB).toFixed(1)} | ${(codeBytes / MIB).toFixed(1)} | ${sum(objects)} | ${timers} | ${open(figures)} | ${Object.values(figures.live).join(' and ')} |`;

interface Outcome {
  readonly told: readonly Hour[];
  readonly done: Done;
  readonly seed: number;
  readonly seconds: number;
}

function toPage({ told, done, seed, seconds }: Outcome): string {
  const found = compared(told);
  const verdict =
    found === undefined
      ? 'Too short to compare anything.'
      : `Heap at hour ${told.length}: ${found.growth.toFixed(3)} of that at hour ${FIRST_COMPARED} (at most ${MAX_GROWTH}); what is open is ${found.isOpenSame ? 'the same' : 'not the same'}.`;
  return [
    '# A day',
    '',
    `Made by \`npm run test:long -- day --hours ${told.length} --seed ${seed}\` on ${toKubeTime(realClock.now()).slice(0, 10)} in ${seconds} s. The whole server on its embedded cluster lives ${told.length} hours on`,
    'a clock that the test moves: applications come, change and go, rollouts are decided about, objects are edited by hand, people sign in and look, watches are cut',
    'and calls fail. At the end of each hour everybody leaves and every rollout comes to its end, so that the same is there each time; the heap is what is',
    'left after collections, of code that nothing ran for a while too.',
    '',
    verdict,
    '',
    '| hour | acts so far | heap, MiB | compiled code of it | objects in copies | timers | open | live sockets and topics |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...told.map(toRow),
    '',
    '| what was done, and what came of it | times |',
    '| --- | --- |',
    ...Object.entries(done)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([what, times]) => `| ${what} | ${times} |`),
    '',
  ].join('\n');
}
