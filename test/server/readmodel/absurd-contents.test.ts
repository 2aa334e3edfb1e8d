import { describe, expect, it } from 'vitest';
import { isAppError } from '@/lib/contract/app-error';
import { applicationDetail, applicationRow } from '@/lib/contract/application-rows';
import type { Keyed } from '@/lib/contract/live';
import { rolloutDetail, rolloutRow } from '@/lib/contract/rollout-rows';
import { engineRow, inboxRow, statusRow } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import { strayRow, trackerDetail, trackerRow } from '@/lib/contract/tracker-rows';
import { readString } from '@/lib/kube/fields';
import { createInformers } from '@/server/kube';
import type { Log } from '@/server/platform';
import { createRandom } from '@/server/platform';
import { startHouse } from '../../support/house';
import { silentLog } from '../../support/silent-log';
import { absurdCluster, isBad, makeAbsurd, onCopies, twoStorefronts } from './absurd';
import type { Rows } from './rig';
import { openRows } from './rig';

const VARIANTS = 8;

const LISTS = [
  ['applications', applicationRow],
  ['rollouts', rolloutRow],
  ['trackers', trackerRow],
  ['strays', strayRow],
] as const;

/** Every topic of a name, each row as the browser will read it. */
function seeEverything(rows: Rows, ns: string, name: string): ReadonlyMap<string, readonly Keyed[]> {
  const see = (topic: Topic) => rows.see(topic)?.rows ?? [];
  return new Map<string, readonly Keyed[]>([
    ...LISTS.map(([kind, schema]) => [kind, see({ kind, query: {} }).map((row) => schema.parse(row))] as const),
    ['inbox', see({ kind: 'inbox' }).map((row) => inboxRow.parse(row))],
    ['status', see({ kind: 'status' }).map((row) => statusRow.parse(row))],
    ['engine', see({ kind: 'engine' }).map((row) => engineRow.parse(row))],
    ['application', see({ kind: 'application', ns, name }).map((row) => applicationDetail.parse(row))],
    ['rollout', see({ kind: 'rollout', ns, name }).map((row) => rolloutDetail.parse(row))],
    ['tracker', see({ kind: 'tracker', name: `${name}-v1-${ns}` }).map((row) => trackerDetail.parse(row))],
  ]);
}

/** What the plans for one application fail with, refusals that say why left out. */
function planEverything({ model }: Rows, ns: string, name: string): readonly unknown[] {
  const plans = [
    () => model.compareTrackers(`${name}-v1-${ns}`, `${name}-v2-${ns}`),
    () => model.garbageOfRollout(ns, name),
    () => model.waitingOf(ns, name, {}),
    () => model.ledgerOf(`${ns}/${name}`),
    () => model.desiredOf({ ns, name }, { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'bad-settings' }),
  ];
  return plans.flatMap((plan) => {
    try {
      plan();
      return [];
    } catch (error) {
      return isAppError(error) ? [] : [error];
    }
  });
}

describe('objects with absurd contents', () => {
  it('[issue 9.3] cost their own rows and nothing else: every topic answers, and the rows of others are as ever', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await twoStorefronts(house, rows);
    const before = seeEverything(rows, house.ns, 'web');
    const rowIn = (seen: ReadonlyMap<string, readonly Keyed[]>, topic: string, name: string) =>
      seen.get(topic)?.find(({ key }) => key === `${house.ns}/${name}`);
    for (let variant = 0; variant < VARIANTS; variant++) {
      const random = createRandom(variant);
      const cluster = absurdCluster(house.cluster, (object) => (isBad(object) ? makeAbsurd(object, random) : object));
      await using informers = createInformers({ cluster, clock: house.clock, random: createRandom(1), log: silentLog });
      await using others = await openRows(onCopies(house, informers));
      const after = seeEverything(others, house.ns, 'web');
      for (const topic of ['applications', 'rollouts', 'application'])
        expect(rowIn(after, topic, 'web'), `variant ${variant}`).toEqual(rowIn(before, topic, 'web'));
      const bad = seeEverything(others, house.ns, 'bad');
      for (const topic of ['applications', 'rollouts', 'application', 'rollout'])
        expect(rowIn(bad, topic, 'bad'), `variant ${variant}: ${topic}`).toBeDefined();
      expect(bad.get('tracker')).toHaveLength(1);
      expect(planEverything(others, house.ns, 'bad'), `variant ${variant}`).toEqual([]);
    }
    expect(({} as { spec?: unknown }).spec).toBeUndefined();
  });

  it('[issue 9.3] that make our code fail are named with the sentence, and logged once for each version, however often somebody looks', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await twoStorefronts(house, rows);
    const logged: string[] = [];
    const log: Log = {
      ...silentLog,
      error: (fields: object) => void logged.push(`${readString(fields, 'what')} ${readString(fields, 'object')}`),
    };
    await using others = await openRows(house, { log, failsFor: isBad });
    for (let look = 0; look < 3; look++) {
      const seen = seeEverything(others, house.ns, 'bad');
      expect(seen.get('rollouts')).toHaveLength(2);
      expect(seen.get('rollout')).toMatchObject([
        { name: 'bad', phase: 'Degraded', wait: { sentence: 'Cannot be shown: Cannot read properties of null' } },
      ]);
      expect(seen.get('application')).toMatchObject([{ name: 'bad' }]);
      expect(others.rollout('web').phase).toBe('Paused');
      await house.advance(5000);
    }
    expect(logged.filter((line) => line === `rollout ${house.ns}/bad`)).toHaveLength(1);
  });
});
