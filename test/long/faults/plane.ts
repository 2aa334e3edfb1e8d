import { deepEqual } from '@/lib/std/deep-equal';
import { toKubeTime } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import { PLANE_FAULTS } from '../../support/plane/faults';
import { killLeader } from '../../support/plane/killed-leader';
import { openPlaneScene } from '../../support/plane/scene';
import type { PlaneEnding } from '../../support/plane/upgrade';
import { writeSection } from './section';

const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

interface Row {
  readonly words: string;
  readonly told: string;
  readonly seconds: number;
  readonly isSame: boolean;
}

/** Upgrades an application on a control plane of its own with each fault in the middle, and compares what it comes to with an upgrade that nothing disturbed. */
export async function testPlaneFaults(only: string | undefined): Promise<boolean> {
  await using scene = await openPlaneScene();
  const rows: Row[] = [];
  const upgrade = async (name: string, words: string, strike: () => Promise<string>): Promise<PlaneEnding | string> => {
    const began = performance.now();
    let told = '';
    const ending = await scene
      .upgrade(name, async () => {
        told = await strike();
      })
      .catch((error: unknown) => String(error));
    const why = typeof ending === 'string' ? ending : await scene.verify();
    const isSame = why === null && (wanted === undefined || deepEqual(ending, wanted));
    rows.push({ words, told: told.replace(MOMENT, '…'), seconds: Math.round((performance.now() - began) / 1000), isSame });
    console.log(`${name}: ${isSame ? 'the same' : `something else: ${why ?? differenceOf(ending, wanted)}`}; ${told}`);
    return ending;
  };
  let wanted: PlaneEnding | undefined;
  const undisturbed = await upgrade('undisturbed', 'nothing', async () => '–');
  if (typeof undisturbed === 'string') throw new Error(undisturbed);
  wanted = undisturbed;
  for (const [name, { words, strike }] of Object.entries(PLANE_FAULTS)) {
    if (only === undefined || only === name) await upgrade(name, words, () => strike(scene));
  }
  if (only === undefined || only === 'killed') {
    const second = await scene.addServer();
    await upgrade('killed', 'the leader of two servers on one Postgres is killed', async () => {
      const tookMs = await killLeader(scene, second);
      return `the other one’s first act comes ${(tookMs / 1000).toFixed(1)} s later`;
    });
  }
  if (only === undefined) await writeSection('An upgrade on a control plane that fails', toLines(rows));
  return rows.every(({ isSame }) => isSame);
}

/** Where two endings differ, each part as it should be and as it is. */
export function differenceOf(found: unknown, wanted: unknown): string {
  if (typeof found !== 'object' || typeof wanted !== 'object' || found === null || wanted === null || Array.isArray(found)) {
    return `needs ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`;
  }
  const [one, other] = [found as Readonly<Record<string, unknown>>, wanted as Readonly<Record<string, unknown>>]; // two endings, or parts of them
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !deepEqual(one[key], other[key]));
  return keys.map((key) => `${key}: ${differenceOf(one[key], other[key])}`).join('; ');
}

function toLines(rows: readonly Row[]): readonly string[] {
  return [
    `Made by \`npm run test:long -- faults --plane\` on ${toKubeTime(realClock.now()).slice(0, 10)}: a control plane, a Postgres and Slipway as a built process. An upgrade in two`,
    'stages is disturbed as soon as the second revision has pods, and must come to the same objects and the same record, whole by its own verification, with',
    'nothing made twice and nothing else deleted, by the audit log of the API server. `test/real/plane-faults.test.ts` keeps the short ones in CI.',
    '',
    '| what happens | what is told | seconds | came to the same |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ words, told, seconds, isSame }) => `| ${words} | ${told} | ${seconds} | ${isSame ? 'yes' : 'no'} |`),
  ];
}
