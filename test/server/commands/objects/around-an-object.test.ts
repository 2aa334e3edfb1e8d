import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import type { Act } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { findObjects, readNamed, readObjectDetail, readObjectEvents, requireVisible } from '@/server/commands/objects/read-object-detail';
import { maySeeFound, readOwned, readOwners } from '@/server/commands/objects/related';
import type { Child } from './around-rig';
import { aroundRig as rigOf } from './around-rig';
import { ANN, configMap, refusalOf } from './rig';

const owned = (name: string, ...references: readonly Partial<OwnerReference>[]): KubeObject =>
  configMap(name, {
    uid: `${name}-uid`,
    ownerReferences: references.map((one) => ({ apiVersion: 'v1', kind: 'ConfigMap', uid: `${one.name}-uid`, ...one })),
  });

describe('[issue 14.1] the owners of an object', () => {
  it('are told with their place, nearest first, each once, and six at most', async () => {
    const held = { a: owned('a', { name: 'top' }), b: owned('b', { name: 'top' }, { name: 'a' }), top: owned('top') };
    const { deps, asked } = rigOf({ held });
    const owners = await readOwners(deps, ANN, owned('low', { name: 'a', controller: true }, { name: 'b' }));
    expect(owners.map(({ name, depth, controller, ns, state, message }) => [name, depth, controller, ns, state, message])).toEqual([
      ['a', 1, true, 'default', 'there', 'a is seen'],
      ['b', 1, false, 'default', 'there', 'b is seen'],
      ['top', 2, false, 'default', 'there', 'top is seen'],
    ]);
    expect(asked[0]).toStrictEqual({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' });
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const many = rigOf({ held: Object.fromEntries(names.map((name) => [name, owned(name, { name: `above-${name}` })])) });
    expect((await readOwners(many.deps, ANN, owned('low', ...names.map((name) => ({ name }))))).map(({ name }) => name)).toEqual(
      names.slice(0, 6),
    );
    expect(many.asked).toHaveLength(6);
  });

  it('are looked for without a namespace where their kind has none, and are gone where it is not served', async () => {
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'n-uid' } };
    const { deps, asked } = rigOf({ held: { n: node } });
    const owners = await readOwners(deps, ANN, owned('low', { kind: 'Node', name: 'n' }, { kind: 'Gone', name: 'g' }));
    expect(owners.map(({ name, ns, state }) => [name, ns, state])).toEqual([
      ['n', null, 'there'],
      ['g', 'default', 'gone'],
    ]);
    expect(asked[0]).toStrictEqual({ apiVersion: 'v1', kind: 'Node', name: 'n' });
  });

  it('are none where the cluster cannot be asked, which is no answer', async () => {
    const { deps } = rigOf({ held: { a: refusalOf(500, 'InternalError') } });
    await expect(readOwners(deps, ANN, owned('low', { name: 'a' }))).rejects.toThrow('InternalError');
  });
});

describe('[design 8] what an object owns', () => {
  const child = (kind: string, name: string, more: object = {}): Child => ({
    object: { apiVersion: 'v1', kind, metadata: { name, ...more } } as KubeObject,
  });

  it('is told as far as all of a kind may be read there, of which it is asked once', async () => {
    const below = [
      child('Secret', 's', { namespace: 'shop' }),
      child('Pod', 'p', { namespace: 'shop', uid: 'p-uid', ownerReferences: [{ controller: false }, { controller: true }] }),
      child('Pod', 'q', { namespace: 'shop', ownerReferences: [{ controller: false }] }),
      child('Gone', 'g'),
    ];
    const refuse = (act: Act) =>
      act.kind !== 'view-kind' || act.of.named === 'Pod'
        ? undefined
        : new AppError(act.of.named === 'Gone' ? 'not-found' : 'forbidden', 'no');
    const { deps, asked } = rigOf({ below, more: 3, refuse });
    const told = await readOwned(deps, ANN, configMap('root'));
    expect(told.owned.map(({ name, ns, uid, controller, state }) => [name, ns, uid, controller, state])).toEqual([
      ['p', 'shop', 'p-uid', true, 'there'],
      ['q', 'shop', null, false, 'there'],
    ]);
    expect([told.ownedMore, told.ownedHidden, asked.length]).toEqual([3, ['Gone', 'Secret'], 3]);
  });

  it('is two hundred objects at most, and how many more there are', async () => {
    const below = Array.from({ length: 203 }, (_, at) => child('Pod', `p${at}`));
    const told = await readOwned(rigOf({ below, more: 2 }).deps, ANN, configMap('root'));
    expect([told.owned.length, told.ownedMore, told.owned[0]?.ns]).toEqual([200, 5, null]);
  });

  it('is not hidden where nobody can tell who may see it: that is told as a failure', async () => {
    for (const failure of [new Error('no answer'), new AppError('unavailable', 'no answer')]) {
      const { deps } = rigOf({ below: [child('Pod', 'p')], refuse: () => failure });
      await expect(readOwned(deps, ANN, configMap('root'))).rejects.toBe(failure);
    }
  });

  it('of the copies is asked for by its own name', async () => {
    const { deps, asked } = rigOf({});
    await maySeeFound(deps, ANN, configMap('one'));
    expect(asked).toEqual([{ kind: 'view-status', type: { apiVersion: 'v1', kind: 'ConfigMap' }, ns: 'default', name: 'one' }]);
  });
});

describe('[issue 14.1] the search for objects', () => {
  const maps = (count: number) => Array.from({ length: count }, (_, at) => configMap(`map-${at}`));

  it('wants two letters, looks through forty, and tells eight', async () => {
    const { deps, sought } = rigOf({ found: maps(12) });
    const { objects } = await findObjects(deps, ANN, '  ma ');
    expect([objects.length, sought]).toEqual([8, [['ma', 40]]]);
    expect(objects[0]).toEqual({
      id: 'ConfigMap/default/map-0',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ns: 'default',
      name: 'map-0',
      health: 'Current',
    });
    await expect(findObjects(deps, ANN, ' m ')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('tells of what has no namespace that it has none', async () => {
    const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } };
    expect((await findObjects(rigOf({ found: [node] }).deps, ANN, 'node')).objects).toMatchObject([{ ns: null }]);
  });
});

describe('[issue 14.1] an object close up', () => {
  it('is read where its kind lives, whatever the address says', async () => {
    const { deps, asked } = rigOf({ held: { n: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } } });
    const { at } = await readNamed(deps, ANN, { of: { group: '', named: 'Node' }, ns: 'shop', name: 'n' });
    expect(at).toStrictEqual({ apiVersion: 'v1', kind: 'Node', name: 'n' });
    expect(asked[0]).toEqual({ kind: 'view-kind', verb: 'get', of: { group: '', named: 'Node' }, ns: 'shop', name: 'n' });
    const everywhere = rigOf({ held: { a: configMap('a') } });
    expect((await readNamed(everywhere.deps, ANN, { of: { group: '', named: 'ConfigMap' }, ns: undefined, name: 'a' })).at).toStrictEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'a',
    });
  });

  it('is told with all that its metadata says, and with what is around it', async () => {
    const metadata = {
      ...{ uid: 'u', resourceVersion: '9', creationTimestamp: '2026-01-01T08:00:00Z', deletionTimestamp: '2026-01-01T09:00:00Z' },
      ...{ finalizers: ['example.com/keep'], labels: { team: 'a' } },
    };
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const full: KubeObject = { ...configMap('full', metadata), status };
    const reader = { applicationsOf: () => [{ ns: 'default', name: 'web' }] };
    const { deps } = rigOf({ held: { full, bare: { apiVersion: 'v1', kind: 'Node', metadata: {} } }, reader });
    const over = { ...deps, freshness: () => ({ stale: null }), desiredOf: () => ({ uncompared: 'no' }) } as unknown as CommandDeps;
    expect(await readObjectDetail(over, ANN, { of: { group: '', named: 'ConfigMap' }, ns: 'default', name: 'full' })).toMatchObject({
      ...{
        uid: 'u',
        resourceVersion: '9',
        ns: 'default',
        name: 'full',
        createdAt: '2026-01-01T08:00:00Z',
        deletingSince: '2026-01-01T09:00:00Z',
      },
      ...{ finalizers: ['example.com/keep'], labels: { team: 'a' }, rule: null, applications: [{ ns: 'default', name: 'web' }] },
      ...{ conditions: [expect.objectContaining({ type: 'Ready' })], of: { shortNames: ['s'] } },
    });
    expect(await readObjectDetail(over, ANN, { of: { group: '', named: 'Node' }, ns: undefined, name: 'bare' })).toMatchObject({
      ...{
        uid: '',
        resourceVersion: '',
        ns: null,
        name: '',
        createdAt: null,
        deletingSince: null,
        finalizers: [],
        labels: {},
        conditions: [],
      },
    });
  });
});

describe('[design 8] whether a kind, or one of its objects, may be seen', () => {
  const of = { group: '', named: 'ConfigMap' };

  it('is asked of the kind by the right to list it, and of one object by reading it', async () => {
    const { deps, asked } = rigOf({ held: { a: configMap('a') } });
    await requireVisible(deps, ANN, { of, ns: 'default' });
    expect(asked).toEqual([{ kind: 'view-kind', verb: 'list', of, ns: 'default' }]);
    await requireVisible(deps, ANN, { of, ns: 'default', name: 'a' });
    expect(asked.slice(1)).toMatchObject([
      { kind: 'view-kind', verb: 'get', of, ns: 'default', name: 'a' },
      { name: 'a', namespace: 'default' },
    ]);
    await expect(requireVisible(deps, ANN, { of, ns: 'default', name: 'b' })).rejects.toMatchObject({ code: 'not-found' });
    const refused = new AppError('forbidden', 'ann may not');
    const poor = rigOf({ held: { a: configMap('a') }, refuse: () => refused });
    for (const named of [{}, { name: 'a' }])
      await expect(requireVisible(poor.deps, ANN, { of, ns: 'default', ...named })).rejects.toBe(refused);
    expect(poor.asked).toHaveLength(2);
  });

  it('is asked before any event of it is read', async () => {
    const refused = new AppError('forbidden', 'ann may not');
    const poor = rigOf({ held: { a: configMap('a') }, refuse: () => refused });
    await expect(readObjectEvents(poor.deps, ANN, { of, ns: 'default', name: 'a' })).rejects.toBe(refused);
    const told = await readObjectEvents(
      rigOf({ held: { a: configMap('a') }, reader: { namespacesOf: () => [], latest: () => configMap('a') } }).deps,
      ANN,
      { of, ns: 'default', name: 'a' },
    );
    expect(told.events).toEqual([]);
  });
});
