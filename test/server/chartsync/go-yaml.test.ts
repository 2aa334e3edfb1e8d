import { expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';

/** What Helm 4 made of each on a cluster. */
const READ: readonly (readonly [written: string, read: unknown])[] = [
  ['yes', true],
  ['on', true],
  ['y', true],
  ['NO', false],
  ['"yes"', 'yes'],
  ['0644', 420],
  ['0o14', 12],
  ['1_000', 1000],
  ['0x1F', 31],
  ['0b11', 3],
  ['08', 8],
  ['+5', 5],
  ['1e3', 1000],
  ['.5', 0.5],
  ['2001-01-01', '2001-01-01'],
  ['190:20:30', '190:20:30'],
  ['!!str 5', '5'],
  ['~', null],
];

it('[issue 12.1, X-DRIFT-1] reads a manifest as Helm reads it: as YAML 1.1, without its times', async () => {
  const live = new LiveObjects({
    storage: { readHistory: async () => [], readManifest: async () => '', readHooks: async () => [] },
    clusterFor: () => ({}) as Cluster, // it is asked for nothing
    clock: realClock,
  });
  const spec = READ.map(([written], at) => `  f${at}: ${written}\n`).join('');
  const [read] = await live.parse(`apiVersion: v1\nkind: Gadget\nmetadata: &m { name: a }\nspec:\n${spec}  copy: { <<: *m, n: 012 }\n`);
  const expected = Object.fromEntries(READ.map(([, value], at) => [`f${at}`, value]));
  expect(read?.spec).toEqual({ ...expected, copy: { name: 'a', false: 10 } });
});
