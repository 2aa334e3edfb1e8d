import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, Informers } from '@/server/kube';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import type { Rows } from './rig';
import { bringToGate } from './rig';

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

/** The storefront that is mangled is called so. */
export const isBad = ({ metadata }: KubeObject) => metadata.name?.startsWith('bad') === true;

/** The same object with absurd contents here and there; metadata is the API server's, but for labels and annotations. */
export function makeAbsurd(object: KubeObject, random: () => number): KubeObject {
  const one = () => ABSURD[Math.floor(random() * ABSURD.length)];
  // A version that nobody serves is another matter than one that is none.
  const versionOf = (version: unknown) => (random() < 0.1 ? '' : version);
  const absurd = (value: unknown): unknown => {
    if (random() < 0.15) return one();
    if (Array.isArray(value)) return value.map(absurd);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === 'apiVersion' ? versionOf(member) : absurd(member)]),
    );
  };
  const { apiVersion, kind, metadata, ...rest } = object;
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).map(([key, text]) => [key, random() < 0.5 ? text : JSON.stringify(one())]),
  );
  const labels = { ...metadata.labels, constructor: 'x', toString: 'y' };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, labels, annotations },
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, absurd(value)])),
  };
}

/** A server that stores what no validation would let through. */
export function absurdCluster(cluster: Cluster, mangle: (object: KubeObject) => KubeObject): Cluster {
  const reads: Pick<Cluster, 'list' | 'watch'> = {
    async *list(of, options) {
      for await (const page of cluster.list(of, options)) yield { ...page, items: page.items.map(mangle) };
    },
    async *watch(of, options) {
      for await (const event of cluster.watch(of, options))
        yield event.type === 'BOOKMARK' ? event : { ...event, object: mangle(event.object) };
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

/** The same house, looked at through other copies. */
export const onCopies = (house: House, informers: Informers): House => Object.create(house, { informers: { value: informers } });

/** Two storefronts, each with a second revision at its first gate: web, and bad. */
export async function twoStorefronts(house: House, rows: Rows): Promise<void> {
  await house.apply({ ...aStorefront({ name: 'bad', gates: 'every-stage', configMaps: ['bad-settings'] }) });
  const state = () =>
    readString(house.informers.open(KINDS.rolloutOrchestrator).store.get(`${house.ns}/bad`), 'status', 'control', 'state');
  await house.until('the first revision of bad is at rest', () => state() === 'done');
  await house.apply({
    ...aStorefront({ name: 'bad', gates: 'every-stage', configMaps: ['bad-settings'], image: 'registry.example.com/bad:2' }),
  });
  await bringToGate(house, rows);
}
