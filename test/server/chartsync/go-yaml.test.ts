import { expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';

/** What Helm 4 made of each on a cluster, and sigs.k8s.io/yaml of those that are no usual ones. */
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
  ['!!binary aMOk', 'hä'],
  ['!!binary "*"', '*'],
  ['{ name: b, c: 1, <<: *m }', { name: 'a', c: 1 }],
  ['{ <<: [*m, { name: b, c: 1 }], c: 2 }', { name: 'a', c: 2 }],
  ['.', '.'],
  ['-.', '-.'],
  ['._', '._'],
  ['.e1', '.e1'],
  ['0_', 0],
  ['-0', 0],
  ['._5', '._5'],
  ['.5_0', 0.5],
  ['.5_', '.5_'],
  ['1_.5', 1.5],
  ['4e12345', '4e12345'],
  ['12e4567', '12e4567'],
  ['1e-400', 0],
  ['.inf', Number.POSITIVE_INFINITY],
  ['-.nan', '-.nan'],
  ['0x', '0x'],
  ['0X1f', 31],
  ['0B11', 3],
  ['0b-1', -1],
  ['0xFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFF'],
  ['-0x8000000000000001', '-0x8000000000000001'],
  ['0777777777777777777777777', 777_777_777_777_777_800_000_000],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['-0x20000000000001', -9_007_199_254_740_993n],
  ['18446744073709551615', 18_446_744_073_709_552_000],
  ['99999999999999999999', 1e20],
];

it('[issue 12.1, X-DRIFT-1] reads a manifest as Helm reads it: as YAML 1.1, without its times', async () => {
  const live = new LiveObjects({
    storage: { readHistory: async () => [], readManifest: async () => '', readHooks: async () => [] },
    clusterFor: () => ({}) as Cluster, // it is asked for nothing
    cluster: {} as Cluster,
    clock: realClock,
  });
  const spec = READ.map(([written], at) => `  f${at}: ${written}\n`).join('');
  const [read] = await live.parse(`apiVersion: v1\nkind: Gadget\nmetadata: &m { name: a }\nspec:\n${spec}  copy: { <<: *m, n: 012 }\n`);
  const expected = Object.fromEntries(READ.map(([, value], at) => [`f${at}`, value]));
  expect(read?.spec).toEqual({ ...expected, copy: { name: 'a', false: 10 } });
});
