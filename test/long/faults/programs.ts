import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { ProgramStrike } from '../../house/killed-house';
import { PROGRAM_STRIKES } from '../../house/killed-house';
import { openProgramScene } from '../../house/struck-programs';
import { writeSection } from './section';

const WORDS: Readonly<Record<ProgramStrike, string>> = {
  'fail-before': 'the program fails before it did anything',
  'fail-after': 'the program does all, and fails at its end',
  'kill-before': 'the server is killed as the program begins; the program goes on when another server is there',
  'kill-after': 'the server is killed when the program is done and has not told',
};

/** Strikes git, Helm and the whole server at every start of a program in an upgrade of two releases, and compares what it comes to. */
export async function testPrograms(step: number, from: number): Promise<boolean> {
  const began = realClock.now();
  await using scene = await openProgramScene();
  const { starts, ...wanted } = await scene.upgrade();
  const rows: string[] = [];
  let otherwise = 0;
  for (const how of PROGRAM_STRIKES) {
    let [runs, wrong] = [0, 0];
    for (let at = from; at <= starts.length; at += step) {
      const { starts: during, ...found } = await scene.upgrade({ at, how });
      runs++;
      const isSame = deepEqual(found, wanted);
      if (!isSame) wrong++;
      console.log(
        `${how} at start ${at} of ${starts.length}, ${during[at - 1]?.slice(0, 80)}: ${isSame ? 'the same' : JSON.stringify(found)}`,
      );
    }
    rows.push(`| ${WORDS[how]} | ${runs} | ${wrong} |`);
    otherwise += wrong;
  }
  const seconds = Math.round((realClock.now() - began) / 1000);
  await writeSection('An upgrade of releases, struck at its programs', [
    `Made by \`npm run test:long -- faults --programs --step ${step} --from ${from}\` on ${toKubeTime(realClock.now()).slice(0, 10)} in ${seconds} s. One release of each kind is upgraded by`,
    `a commit and by a decision to look now, with real git and Helm on the embedded cluster: until both are at the commit, programs are started ${starts.length} times.`,
    'Struck at one of these, it must come to the same revisions in storage, the same objects, working copies and answers to decisions.',
    '`test/house/struck-programs.test.ts` keeps one of each way in CI.',
    '',
    '| at the start of a program | runs | came to something else |',
    '| --- | --- | --- |',
    ...rows,
  ]);
  return otherwise === 0;
}
