import { expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import { CRDClient, isNameConflict, isNotEstablished } from '@/server/framework/operatorkit/crd-client';
import { silentLog } from '../../../support/silent-log';

function aDefinition(conditions: readonly object[] = []): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'pumps.water.test' },
    status: { conditions },
  };
}

function ensure(conditions: readonly object[], options: { deleteOnFailure?: 'created-only'; failDelete?: boolean } = {}) {
  const calls: string[] = [];
  const call =
    (name: string, failing = false) =>
    async () => {
      calls.push(name);
      if (failing) throw new Error(`${name} failed`);
      return aDefinition(conditions);
    };
  const client = new CRDClient({
    cluster: { create: call('create'), get: call('get'), delete: call('delete', options.failDelete) },
    clock: { sleep: async () => undefined },
    logger: silentLog,
    ...(options.deleteOnFailure ? { deleteOnFailure: options.deleteOnFailure } : {}),
  });
  return { calls, ended: client.ensureCreated(aDefinition(), zeroBackOff(1)) };
}

it('[framework R9.1] tells a conflict of names from a definition that is merely slow', async () => {
  const taken = ensure([{ type: 'NamesAccepted', status: 'False', message: 'pumps is taken' }]);
  const failure = await taken.ended.catch((error: unknown) => error);
  expect(isNameConflict(failure)).toBe(true);
  expect(String(failure)).toContain('the names of pumps.water.test are not accepted: pumps is taken');
  const slow = await ensure([]).ended.catch((error: unknown) => error);
  expect(isNotEstablished(slow)).toBe(true);
  expect(isNameConflict(slow)).toBe(false);
});

it('[framework R9.2] never deletes a definition unless told to, and a failing delete hides nothing', async () => {
  const kept = ensure([]);
  await expect(kept.ended).rejects.toThrow('pumps.water.test is not established');
  expect(kept.calls).toEqual(['create', 'get', 'get']);
  const deleted = ensure([], { deleteOnFailure: 'created-only', failDelete: true });
  await expect(deleted.ended).rejects.toThrow('pumps.water.test is not established');
  expect(deleted.calls).toEqual(['create', 'get', 'get', 'delete']);
});
