import { describe, expect, it } from 'vitest';
import { applicationDetail, applicationRow } from '@/lib/contract/application-rows';
import type { Keyed } from '@/lib/contract/live';
import { rolloutDetail, rolloutRow } from '@/lib/contract/rollout-rows';
import { engineRow, inboxRow, statusRow } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import { strayRow, trackerDetail, trackerRow } from '@/lib/contract/tracker-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, Informers } from '@/server/kube';
import { createInformers } from '@/server/kube';
import type { Log } from '@/server/platform';
import { createRandom, silentLog } from '@/server/platform';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { bringToGate, openRows } from './rig';

const VARIANTS = 8;

/** What no schema asks for, and some preserve. */
const ABSURD: readonly unknown[] = [
  null,
  [],
  {},
  '',
  'x',
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  [null],
  [[null, 7]],
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2026-13-45T99:99:99Z',
  { constructor: 1, hasOwnProperty: null },
  JSON.parse('{"__proto__": {"spec": 7}, "toString": []}'),
];

const isBad = ({ metadata }: KubeObject) => metadata.name?.startsWith('bad') === true;

/** The same object with absurd contents here and there; metadata is the API server's, but for labels and annotations. */
function makeAbsurd(object: KubeObject, random: () => number): KubeObject {
  const one = () => ABSURD[Math.floor(random() * ABSURD.length)];
  // A version that nobody serves is another matter than one that is none.
  const versionOf = (version: unknown) => (random() < 0.1 ? '' : version);
  const absurd = (value: unknown): unknown => {
    if (random() < 0.15) return one();
    if (Array.isArray(value)) return value.map(absurd);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, key === 'apiVersion' ? versionOf(member) : absurd(member)]));
  };
  const { apiVersion, kind, metadata, ...rest } = object;
  const annotations = Object.fromEntries(Object.entries(metadata.annotations ?? {}).map(([key, text]) => [key, random() < 0.5 ? text : JSON.stringify(one())]));
  const labels = { ...metadata.labels, constructor: 'x', toString: 'y' };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, labels, annotations },
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, absurd(value)])),
  };
}

/** A server that stores what no validation would let through. */
function absurdCluster(cluster: Cluster, mangle: (object: KubeObject) => KubeObject): Cluster {
  const reads: Pick<Cluster, 'list' | 'watch'> = {
    async *list(of, options) {
      for await (const page of cluster.list(of, options)) yield { ...page, items: page.items.map(mangle) };
    },
    async *watch(of, options) {
      for await (const event of cluster.watch(of, options)) yield event.type === 'BOOKMARK' ? event : { ...event, object: mangle(event.object) };
    },
  };
  return new Proxy(cluster, {
    get(target, name) {
      if (name === 'list' || name === 'watch') return reads[name];
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const onCopies = (house: House, informers: Informers): House => Object.create(house, { informers: { value: informers } });

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

async function twoStorefronts(house: House, rows: Rows): Promise<void> {
  await house.apply({ ...aStorefront({ name: 'bad', gates: 'every-stage', configMaps: ['bad-settings'] }) });
  const state = () => readString(house.informers.open(KINDS.rolloutOrchestrator).store.get(`${house.ns}/bad`), 'status', 'control', 'state');
  await house.until('the first revision of bad is at rest', () => state() === 'done');
  await house.apply({ ...aStorefront({ name: 'bad', gates: 'every-stage', configMaps: ['bad-settings'], image: 'registry.example.com/bad:2' }) });
  await bringToGate(house, rows);
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
    }
    expect(({} as { spec?: unknown }).spec).toBeUndefined();
  });

  it('[issue 9.3] that make our code fail are named with the sentence, and logged once for each version, however often somebody looks', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await twoStorefronts(house, rows);
    const logged: string[] = [];
    const log: Log = { ...silentLog, error: (fields: object) => void logged.push(`${readString(fields, 'what')} ${readString(fields, 'object')}`) };
    await using others = await openRows(house, { log, failsFor: isBad });
    for (let look = 0; look < 3; look++) {
      const seen = seeEverything(others, house.ns, 'bad');
      expect(seen.get('rollouts')).toHaveLength(2);
      expect(seen.get('rollout')).toMatchObject([{ name: 'bad', phase: 'Degraded', wait: { sentence: 'Cannot be shown: Cannot read properties of null' } }]);
      expect(seen.get('application')).toMatchObject([{ name: 'bad' }]);
      expect(others.rollout('web').phase).toBe('Paused');
      await house.advance(5000);
    }
    expect(logged.filter((line) => line === `rollout ${house.ns}/bad`)).toHaveLength(1);
  });
});
