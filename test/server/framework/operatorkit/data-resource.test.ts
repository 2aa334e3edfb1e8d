import { expect, it } from 'vitest';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { RunContext } from '@/server/framework/operatorkit/context/run-context';
import { dataResource } from '@/server/framework/operatorkit/surface/data-resource';
import { KubeApiError } from '@/server/kube';
import { silentLog } from '../../../support/silent-log';

const context = RunContext.background();

function aConfigMap(name: string, data: object, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', ...(Object.keys(labels).length > 0 ? { labels } : {}) },
    data,
  };
}

function startBench(held: readonly KubeObject[], desired: readonly KubeObject[]) {
  const objects = new Map(held.map((object) => [toObjectKey(object.metadata), object]));
  const writes: string[] = [];
  const put = (verb: string) => async (object: KubeObject) => {
    writes.push(`${verb} ${object.metadata.name}`);
    objects.set(toObjectKey(object.metadata), object);
    return object;
  };
  const require = (at: ObjectAddress) => {
    const found = objects.get(toObjectKey(at));
    if (found === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' });
    return found;
  };
  const cluster = {
    get: async (at: ObjectAddress) => require(at),
    create: put('create'),
    update: put('update'),
    delete: async (at: ObjectAddress) => {
      const found = require(at);
      writes.push(`delete ${at.name}`);
      objects.delete(toObjectKey(at));
      return found;
    },
  };
  return {
    objects,
    writes,
    resource: dataResource({ name: 'settings', cluster, logger: silentLog, desired: () => desired, allowedLabels: ['team'] }),
  };
}

it('[framework L13] creates what is missing, changes what differs, and writes nothing twice', async () => {
  const wanted = [aConfigMap('a', { x: '1' }), aConfigMap('b', { x: '2' }), aConfigMap('c', { x: '3' })];
  const bench = startBench([aConfigMap('b', { x: 'old' }), aConfigMap('c', { x: '3' })], wanted);
  await bench.resource.ensureCreated(context, null);
  expect(bench.writes).toEqual(['create a', 'update b']);
  await bench.resource.ensureCreated(context, null);
  expect(bench.writes).toHaveLength(2);
});

it('[framework L13] keeps labels that others may set, and takes all other foreign ones away', async () => {
  const bench = startBench([aConfigMap('a', { x: '1' }, { team: 'blue', stray: 'yes' })], [aConfigMap('a', { x: '1' }, { app: 'web' })]);
  await bench.resource.ensureCreated(context, null);
  expect(bench.objects.get('shop/a')?.metadata.labels).toEqual({ team: 'blue', app: 'web' });
});

it('[framework L13] deletes whatever exists, also what both sides agree on', async () => {
  const bench = startBench([aConfigMap('a', { x: '1' })], [aConfigMap('a', { x: '1' }), aConfigMap('b', { x: '2' })]);
  await bench.resource.ensureDeleted(context, null);
  expect(bench.writes).toEqual(['delete a']);
  await bench.resource.ensureDeleted(context, null);
  expect(bench.objects.size).toBe(0);
});
