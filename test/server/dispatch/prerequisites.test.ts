import { describe, expect, it } from 'vitest';
import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { DispatchOptions, KubeClient } from '@/server/dispatch';
import { AppManifestsDispatcher, executeGarbage, NotServingError, planGarbage, readTracker } from '@/server/dispatch';
import { NoMatchError } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';

const CRD_TYPE = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const crd: KubeObject = {
  ...CRD_TYPE,
  metadata: { name: 'beacons.fleet.example.dev' },
  spec: {
    group: 'fleet.example.dev',
    names: { kind: 'Beacon', plural: 'beacons' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};
const beacon: KubeObject = {
  apiVersion: 'fleet.example.dev/v1',
  kind: 'Beacon',
  metadata: { name: 'north', namespace: 'shop' },
  spec: { bright: true },
};
const config = (name: string, namespace = 'shop'): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
const room: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'room' } };

/** A server that serves Beacons once their definition has been established for a while. */
function aServer(): { readonly server: FakeApiServer; readonly client: KubeClient } {
  const server = new FakeApiServer();
  const resolve = async (type: TypeRef) => {
    const definition = server.peek({ ...CRD_TYPE, name: 'beacons.fleet.example.dev' });
    if (type.kind === 'Beacon' && definition?.status === undefined) throw new NoMatchError(type);
    return server.discovery.resolve(type);
  };
  const client: KubeClient = {
    discovery: { ...server.discovery, resolve },
    get: (at) => server.get(at),
    list: (of, options) => server.list(of, options),
    create: (object, options) => server.create(object, options),
    update: (object, options) => server.update(object, options),
    patch: (at, patch, options) => server.patch(at, patch, options),
    delete: (at, options) => server.delete(at, options),
  };
  return { server, client };
}

const OPTIONS: DispatchOptions = {
  tracking: { record: 'beforeApply' },
  writing: { dryRunFirst: true, awaitPrerequisites: true, concurrency: 4 },
};
const dispatcher = (client: KubeClient) => new AppManifestsDispatcher(client, { name: 'web-v1', namespace: 'shop' }, OPTIONS);
const writes = (server: FakeApiServer) =>
  server.requests.filter(({ verb, kind }) => verb === 'create' && kind !== 'ResourceTracker').map(({ kind }) => kind);

describe('what others stand on', () => {
  it('[dispatch 13] a kind and its instances go in one set: the instances wait until the kind is served', async () => {
    const { server, client } = aServer();
    const set = [beacon, config('a'), crd];
    const early = await dispatcher(client)
      .dispatch(set)
      .catch((error: unknown) => error);
    expect(early).toBeInstanceOf(NotServingError);
    expect(messageOf(early)).toBe(
      'CustomResourceDefinition beacons.fleet.example.dev is applied but cannot be used yet: it is not established',
    );
    expect(writes(server)).toEqual(['CustomResourceDefinition']);
    const live = server.peek({ ...CRD_TYPE, name: 'beacons.fleet.example.dev' });
    if (live !== undefined) server.seed({ ...live, status: { conditions: [{ type: 'Established', status: 'True' }] } });
    const tracker = await dispatcher(client).dispatch(set);
    expect(writes(server)).toEqual(['CustomResourceDefinition', 'Beacon', 'ConfigMap']);
    expect(tracker.entries.map(({ kind, namespace }) => [kind, namespace])).toEqual([
      ['Beacon', undefined],
      ['ConfigMap', 'shop'],
      ['CustomResourceDefinition', undefined],
    ]);
  });

  it('[dispatch 13] goes after what stands on it', async () => {
    const { server, client } = aServer();
    server.establishes = true;
    const tracker = await dispatcher(client).dispatch([room, crd, config('a', 'room'), beacon]);
    const named = { objects: ['Namespace/room', 'CustomResourceDefinition/beacons.fleet.example.dev'], count: 4 };
    const plan = planGarbage(tracker, undefined, { live: (entry) => ({ kind: 'present', object: server.peek(entry) ?? room }), named });
    await executeGarbage(client, plan, [tracker]);
    const deleted = server.requests.filter(({ verb }) => verb === 'delete').map(({ kind }) => kind);
    expect(deleted).toEqual(['ConfigMap', 'Beacon', 'Namespace', 'CustomResourceDefinition', 'ResourceTracker']);
  });
});

describe('trying the whole set out', () => {
  it('[dispatch 13] one refusal keeps everything from being applied, and all refusals are told in one sentence', async () => {
    const { server, client } = aServer();
    server.addFaults(['b', 'd'].map((name) => ({ verb: 'dryRun', name, code: 422, times: 1 }) as const));
    const message = await dispatcher(client)
      .dispatch(['a', 'b', 'c', 'd'].map((name) => config(name)))
      .catch(messageOf);
    expect(message).toMatch(
      /^nothing was applied, since 2 of 4 objects would be refused: ConfigMap b in shop: .*fails; ConfigMap d in shop: .*fails$/,
    );
    expect(writes(server)).toEqual([]);
    const tracker = server.peek({ apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker', name: 'web-v1-shop' });
    expect(tracker && readTracker(tracker).entries).toEqual([]);
  });

  it('[dispatch 13] what stands on a namespace or a kind of the same set is not tried out before it is there', async () => {
    const { server, client } = aServer();
    server.establishes = true;
    server.addFaults([{ verb: 'dryRun', name: 'a', code: 404, times: 1 }]);
    await dispatcher(client).dispatch([config('a', 'room'), room, crd, beacon]);
    expect(writes(server).sort()).toEqual(['Beacon', 'ConfigMap', 'CustomResourceDefinition', 'Namespace']);
  });

  it('[dispatch 13] a namespace that the set does not bring is missed before anything is applied', async () => {
    const { server, client } = aServer();
    server.addFaults([{ verb: 'dryRun', name: 'a', code: 404, times: 1 }]);
    expect(
      await dispatcher(client)
        .dispatch([config('a', 'nowhere'), config('b')])
        .catch(messageOf),
    ).toContain('1 of 2 objects would be refused');
    expect(writes(server)).toEqual([]);
  });
});
