import { expect, it } from 'vitest';
import { DISPATCH_MANAGER } from '@/lib/kube/applied-lists';
import type { KubeObject } from '@/lib/kube/object';
import type { KubeClient } from '@/server/dispatch';
import { AppManifestsDispatcher } from '@/server/dispatch';
import { FakeApiServer } from '../../support/dispatch-server';

it('[dispatch 13] every create, patch and update of a dispatch goes out under its own field manager', async () => {
  const server = new FakeApiServer();
  const writes: string[] = [];
  const note = (verb: string, object: { readonly kind: string }, options: { readonly fieldManager?: string } | undefined) =>
    void writes.push(`${verb} ${object.kind} ${options?.fieldManager}`);
  const client: KubeClient = {
    discovery: server.discovery,
    get: (at) => server.get(at),
    list: (of, options) => server.list(of, options),
    delete: (at, options) => server.delete(at, options),
    create: (object, options) => {
      note('create', object, options);
      return server.create(object);
    },
    update: (object, options) => {
      note('update', object, options);
      return server.update(object, options);
    },
    patch: (at, patch, options) => {
      note('patch', at, options);
      return server.patch(at, patch);
    },
  };
  const config = (value: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop' },
    data: { key: value },
  });
  const dispatcher = new AppManifestsDispatcher(client, { name: 'web-v1', namespace: 'shop' });
  await dispatcher.dispatch([config('1')]);
  await dispatcher.dispatch([config('2')]);
  expect(DISPATCH_MANAGER).toBe('slipway.dev/dispatch');
  expect([...new Set(writes)].sort()).toEqual([
    'create ConfigMap slipway.dev/dispatch',
    'create ResourceTracker slipway.dev/dispatch',
    'patch ConfigMap slipway.dev/dispatch',
    'update ResourceTracker slipway.dev/dispatch',
  ]);
});
