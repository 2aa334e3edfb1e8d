import { describe, expect, it } from 'vitest';
import type { ChangeRow, ChangeVerdict } from '@/lib/contract/change-rows';
import { MASK } from '@/lib/kube/mask';
import type { CommandDeps } from '@/server/commands/command-deps';
import { maskRows } from '@/server/commands/mask-rows';
import type { AskedRight } from '../auth/fake-cluster';
import { createCommandRig } from './rig';

const row = (name: string, over: Partial<ChangeRow> = {}): ChangeRow => ({
  id: `Secret/shop/${name}`,
  apiVersion: 'v1',
  kind: 'Secret',
  ns: 'shop',
  name,
  uid: `uid-${name}`,
  verdict: 'deleted',
  why: `the newer revision has no ${name}`,
  blast: [`${name} goes`],
  diff: [{ sign: '-', text: name }],
  ...over,
});
const asked = ({ group, resource, namespace, name }: AskedRight) => [group, resource, namespace, name].join('/');

async function maskFor(may: (right: AskedRight) => boolean, rows: readonly ChangeRow[]) {
  const { cluster, auth, session } = await createCommandRig({ may });
  const deps = { cluster, auth } as unknown as CommandDeps; // no more of them is used
  return { masked: await maskRows(deps, session, rows), asked: cluster.asked.filter(({ verb }) => verb === 'get').map(asked) };
}

describe('rows of a change', () => {
  it('[issue 9.4] are told as they are to who may get all of a kind there, which is asked once', async () => {
    const rows = [
      row('a'),
      row('b'),
      row('c', { ns: 'labs' }),
      row('d', { kind: 'Namespace', ns: null }),
      row('e', { apiVersion: 'apps/v1', kind: 'Deployment' }),
    ];
    const told = await maskFor(() => true, rows);
    expect(told.masked).toEqual(rows);
    expect(told.asked).toEqual(['/secrets/shop/', '/secrets/labs/', '/namespaces//', 'apps/deployments/shop/']);
  });

  it('[design 8] without that right are told by name alone, where that very one may be got', async () => {
    const { masked } = await maskFor(({ name }) => name === 'a', [row('a'), row('b')]);
    expect(masked.map(({ name }) => name)).toEqual(['a', MASK]);
  });

  it('[design 8] of which one may not see count with kind, place and verdict, and tell nothing else', async () => {
    const { masked } = await maskFor(() => false, [row('a'), row('b'), row('c', { kind: 'Namespace', ns: null })]);
    expect(masked[0]).toEqual({
      id: `Secret/shop/${MASK} 0`,
      apiVersion: 'v1',
      kind: 'Secret',
      ns: 'shop',
      name: MASK,
      uid: null,
      verdict: 'deleted',
      why: 'it is deleted; you may not see which Secret it is',
      blast: [],
      diff: null,
      masked: true,
    });
    expect(masked.slice(1).map(({ id }) => id)).toEqual([`Secret/shop/${MASK} 1`, `Namespace//${MASK} 2`]);
  });

  it.each<[ChangeVerdict, string]>([
    ['refused', 'it is refused'],
    ['held', 'a safety rule holds it'],
    ['changed', 'it is changed'],
    ['new', 'it is created'],
    ['handed-over', 'it is already as written'],
    ['kept', 'it is kept'],
    ['gone', 'it is already gone'],
    ['unknown', 'its state is unknown'],
  ])('[design 8] of one that is %s say that %s', async (verdict, words) => {
    const { masked } = await maskFor(() => false, [row('a', { verdict })]);
    expect(masked[0]).toMatchObject({ verdict, why: `${words}; you may not see which Secret it is` });
  });

  it('[design 8] are asked about by name a hundred times for a kind and namespace, and hidden beyond that', async () => {
    const rows = [...Array.from({ length: 102 }, (_, at) => row(`s${at}`)), row('there', { ns: 'labs' })];
    const told = await maskFor(({ name }) => name !== undefined, rows);
    expect(told.masked.filter(({ masked }) => masked).map(({ id }) => id)).toEqual([`Secret/shop/${MASK} 100`, `Secret/shop/${MASK} 101`]);
    expect(told.asked.filter((right) => right.startsWith('/secrets/shop/s'))).toHaveLength(100);
    expect(told.masked.at(-1)?.name).toBe('there');
  });

  it('[design 8] of a kind that is served no more are told to who may get anything of its group', async () => {
    const gone = row('a', { apiVersion: 'old.example/v1', kind: 'Nonsense' });
    const told = await maskFor(({ resource }) => resource === '*', [gone, { ...gone, ns: null }]);
    expect(told.masked.map(({ name }) => name)).toEqual(['a', 'a']);
    expect(told.asked).toEqual(['old.example/*/shop/', 'old.example/*//']);
    expect((await maskFor(({ resource }) => resource !== '*', [gone])).masked[0]?.masked).toBe(true);
  });

  it('[design 8] are told to nobody while the cluster cannot say what their kind is', async () => {
    const { cluster, auth, session } = await createCommandRig();
    const discovery = { ...cluster.discovery, resolveKind: async () => Promise.reject(new Error('discovery is away')) };
    await expect(maskRows({ cluster: { ...cluster, discovery }, auth } as unknown as CommandDeps, session, [row('a')])).rejects.toThrow(
      'discovery is away',
    );
  });
});
