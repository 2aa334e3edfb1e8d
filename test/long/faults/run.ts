import { parseArgs } from 'node:util';
import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { Ending, Struck } from '../../house/struck-house';
import { struck, UPGRADE } from '../../house/struck-house';
import { WAYS } from '../../house/struck-ways';
import type { Strike } from '../../support/struck-line';
import { STRIKES } from '../../support/struck-line';
import { differenceOf, testPlaneFaults } from './plane';
import { testPrograms } from './programs';
import { writeSection } from './section';

const WORDS: Readonly<Record<Strike, string>> = {
  'cut-before': 'the connection is cut, and the call does not arrive',
  'cut-after': 'the call arrives, and its answer is lost',
  'die-before': 'the engines die before the call, and others take over',
  'die-after': 'the engines die when the call has arrived',
  'kill-before': 'everything is killed before the call, the embedded cluster too, and starts again on its folder',
  'kill-after': 'everything is killed when the call has arrived',
};

interface Tally {
  runs: number;
  otherwise: number;
}

/** With `--plane`, everything that happens to a whole control plane; with `--programs`, every start of git and Helm; else every call of the engines. */
export async function testFaults(args: readonly string[]): Promise<boolean> {
  const options = {
    step: { type: 'string' },
    from: { type: 'string' },
    plane: { type: 'boolean' },
    programs: { type: 'boolean' },
    only: { type: 'string' },
    way: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [step, from] = [Number(values.step ?? 1), Number(values.from ?? 1)];
  if (values.programs === true) return testPrograms(step, from);
  return values.plane === true ? testPlaneFaults(values.only) : testCalls({ step, from, way: values.way });
}

/** Deleting again what is on its way out already is one deletion. */
const once = ({ deleted, ...ending }: Ending): Ending => ({ ...ending, deleted: [...new Set(deleted)] });

/** How something ended that did not end as wanted; null where it did. A deletion that was on its way when the cluster was killed counts where it is wanted. */
function explainOther({ calls: _more, wasStruck, unknown, ...found }: Struck, wanted: Ending): string | null {
  if (!wasStruck) return 'it was not struck';
  const deleted = [...found.deleted, ...wanted.deleted.filter((what) => unknown.includes(what))].sort();
  const ending = once({ ...found, deleted });
  return deepEqual(ending, once(wanted)) ? null : differenceOf(ending, once(wanted));
}

interface Asked {
  readonly step: number;
  readonly from: number;
  /** What is done; an upgrade where none is named. */
  readonly way: string | undefined;
}

/** Strikes the engines at every call of an upgrade, or of another way, and compares what it comes to with one that nothing disturbed. */
async function testCalls({ step, from, way: named }: Asked): Promise<boolean> {
  const way = named === undefined ? UPGRADE : WAYS[named];
  if (way === undefined) throw new Error(`--way must be one of ${Object.keys(WAYS).join('; ')}; found ${named}`);
  const began = realClock.now();
  const { calls: made, wasStruck: _never, unknown: _none, ...wanted } = await struck(way);
  const calls = made.length;
  const tallies = new Map<Strike, Tally>(STRIKES.map((how) => [how, { runs: 0, otherwise: 0 }]));
  for (let at = from; at <= calls; at += step) {
    for (const [how, tally] of tallies) {
      const ended = await struck(way, { at, how }).catch((error: unknown) => String(error));
      tally.runs++;
      const what = typeof ended === 'string' ? ended : explainOther(ended, wanted);
      if (what === null) continue;
      tally.otherwise++;
      console.log(`${how} at call ${at}, ${made[at - 1]}: ${what}`);
    }
    console.log(`call ${at} of ${calls}`);
  }
  await writeSection(
    `${named === undefined ? 'An upgrade' : `An application: ${named}`}, struck at its calls`,
    toLines({ way: named, calls, step, from, tallies, seconds: Math.round((realClock.now() - began) / 1000) }),
  );
  return [...tallies.values()].every(({ otherwise }) => otherwise === 0);
}

interface Page {
  readonly way: string | undefined;
  readonly calls: number;
  readonly step: number;
  readonly from: number;
  readonly tallies: ReadonlyMap<Strike, Tally>;
  readonly seconds: number;
}

function toLines({ way, calls, step, from, tallies, seconds }: Page): readonly string[] {
  const rows = [...tallies].map(([how, { runs, otherwise }]) => `| ${WORDS[how]} | ${runs} | ${otherwise} |`);
  const which = step === 1 ? 'each of them' : `one in ${step} of them, from call ${from} on,`;
  const flags = `${way === undefined ? '' : ` --way '${way}'`}${step === 1 ? '' : ` --step ${step}`}${from === 1 ? '' : ` --from ${from}`}`;
  return [
    `Made by \`npm run test:long -- faults${flags}\` on ${toKubeTime(realClock.now()).slice(0, 10)} in ${seconds} s. ${way === undefined ? 'An upgrade in two stages on the embedded cluster makes' : 'On the embedded cluster it makes'} ${calls} calls to`,
    `the API server and the store: reads, lists, watches, writes, acts for the record. It is created again with ${which} struck, and must come to the same`,
    `objects and the same record, with nothing made twice and nothing else deleted.${way === undefined ? ' `test/house/struck.test.ts` keeps 24 of these in CI.' : ''}`,
    '',
    '| at the call | runs | came to something else |',
    '| --- | --- | --- |',
    ...rows,
  ];
}
