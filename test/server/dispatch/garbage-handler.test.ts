import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import { GCHandler } from '@/server/dispatch/garbage/handler';
import type { GarbageOptions } from '@/server/dispatch/options';
import type { DeleteOptions } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';
import { entry, objectOf, TRACKER } from './garbage-rig';

const A = entry('ConfigMap', 'a');
const B = entry('ConfigMap', 'b');
const OLD = { ...TRACKER, name: 'web-v1-shop' };
const ASKS = { annotations: { 'app.oam.dev/skipGC': '' } };
const tracked = (name: string, ...entries: readonly TrackerEntry[]) => ({ name, uid: `uid:${name}`, entries });
const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({ ...TRACKER, name, uid: `uid:${name}`, ...more });

interface Deletion {
  readonly name: string;
  readonly options: DeleteOptions;
}

/** A collection by the handler of the original, of what one tracker lists and the next does not. */
async function open(options: GarbageOptions = {}, ...objects: readonly KubeObject[]) {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  for (const name of ['web-v1-shop', 'web-v2-shop']) server.seed({ ...TRACKER, metadata: { name, uid: `uid:${name}` } });
  const deletions: Deletion[] = [];
  const remove = server.delete.bind(server);
  server.delete = (at, asked = {}) => {
    deletions.push({ name: at.name, options: asked });
    return remove(at, asked);
  };
  const handler = new GCHandler(server, 'shop', options);
  const collect = (old: readonly TrackerEntry[], next: readonly TrackerEntry[] = []) =>
    handler.garbageCollect(tracked('web-v1-shop', ...old), tracked('web-v2-shop', ...next));
  return { server, handler, deletions, collect };
}

describe('collecting as the original does', () => {
  it('[dispatch G1] deletes in recorded order what the next one does not list, unread, whatever lives there, and the tracker last with what it owns', async () => {
    const namespace = entry('Namespace', 'other');
    const { server, deletions, collect } = await open(
      {},
      objectOf(namespace),
      objectOf({ ...A, uid: 'another' }, { ownerReferences: [owner('other')] }),
      objectOf(B),
    );
    await collect([namespace, A, B], [B]);
    expect(deletions).toEqual([
      { name: 'other', options: {} },
      { name: 'a', options: {} },
      { name: 'web-v1-shop', options: {} },
    ]);
    expect(server.requests.map(({ verb }) => verb)).not.toContain('get');
    expect([server.peek(A), server.peek(OLD)]).toEqual([undefined, undefined]);
    expect(server.peek(B)).toBeDefined();
  });

  it('[dispatch G1] deletes a Job with its pods, and goes on where something is gone already', async () => {
    const job = entry('Job', 'once', { apiVersion: 'batch/v1' });
    const { deletions, collect } = await open({}, objectOf(job));
    await collect([A, job]);
    expect(deletions.map(({ name, options }) => [name, options.propagationPolicy])).toEqual([
      ['a', undefined],
      ['once', 'Background'],
      ['web-v1-shop', undefined],
    ]);
  });

  it('[dispatch G1] stops at the first that cannot be deleted, in the words of the original, and keeps the tracker', async () => {
    const { server, collect } = await open({}, objectOf(A), objectOf(B));
    server.addFaults([{ verb: 'delete', name: 'a', code: 403, times: 1 }]);
    await expect(collect([A, B])).rejects.toMatchObject({
      stage: 'collect',
      object: { kind: 'ConfigMap', name: 'a' },
      message: expect.stringContaining('cannot delete resource {"v1" "ConfigMap" "a" "shop" ""}'),
    });
    expect([server.peek(B), server.peek(OLD)]).not.toContain(undefined);
  });

  it('[dispatch G1] asks for no decision, however many go', async () => {
    const many = Array.from({ length: 8 }, (_, at) => entry('ConfigMap', `many-${at}`));
    const { deletions, collect } = await open({}, ...many.map((one) => objectOf(one)));
    await collect(many);
    expect(deletions).toHaveLength(9);
  });

  it('[design 8] deletes nothing here of what is recorded in another cluster', async () => {
    const { server, collect } = await open({}, objectOf(A));
    await expect(collect([{ ...A, cluster: 'east' }])).rejects.toThrow('it lives in cluster east');
    expect([server.peek(A), server.peek(OLD)]).not.toContain(undefined);
  });

  it('[dispatch G2] takes another API version for another object, unless it is told to go by group and kind', async () => {
    const later = { ...A, apiVersion: 'things.example.dev/v2' };
    const former = { ...A, apiVersion: 'things.example.dev/v1' };
    const byVersion = await open({}, objectOf(former));
    await byVersion.collect([former], [later]);
    expect(byVersion.deletions.map(({ name }) => name)).toEqual(['a', 'web-v1-shop']);
    const byKind = await open({ identity: 'groupKind' }, objectOf(former));
    await byKind.collect([former], [later]);
    expect(byKind.deletions.map(({ name }) => name)).toEqual(['web-v1-shop']);
  });

  it('[dispatch G3] keeps all that older revisions had, and the tracker with it, where the policy says so', async () => {
    const { server, deletions, collect } = await open({ keepLegacyResource: true }, objectOf(A));
    await collect([A]);
    expect(deletions).toEqual([]);
    expect([server.peek(A), server.peek(OLD)]).not.toContain(undefined);
  });

  it.each([
    ['another application', 'api-v1-shop'],
    ['another namespace', 'web-v1-other'],
  ])('[dispatch G1] collects nothing of %s', async (_whose, name) => {
    const { server, handler } = await open({}, objectOf(A));
    for (const [old, next] of [
      [tracked(name, A), tracked('web-v2-shop')],
      [tracked('web-v1-shop', A), tracked(name)],
      [tracked('web-v1', A), tracked('web-v2')],
      [tracked('web-v1-shop', A), tracked('web-v2')],
      [tracked('web-v1', A), tracked('web-v2-shop')],
    ] as const) {
      await expect(handler.garbageCollect(old, next)).rejects.toMatchObject({
        stage: 'collect',
        message: 'two resource trackers must come from the same application',
      });
    }
    expect(server.requests).toEqual([]);
  });
});

describe('what asks to stay, where the options look for it', () => {
  const refs = [
    owner('web-v1-shop'),
    owner('renamed', { uid: 'uid:web-v1-shop' }),
    owner('web-v1-shop', { uid: 'former' }),
    owner('web-v2-shop'),
    { ...owner('web-v1-shop'), kind: 'Robot' },
  ];

  it('[dispatch G4] stays without this tracker among its owners, and without nobody else', async () => {
    const { server, collect } = await open(
      { skipGCAnnotation: true },
      objectOf(A, { ...ASKS, labels: { 'app.oam.dev/component': 'web' }, ownerReferences: refs }),
      objectOf({ ...B, uid: 'another' }),
    );
    await collect([A, B]);
    expect(server.peek(A)?.metadata.ownerReferences).toEqual([owner('web-v2-shop'), { ...owner('web-v1-shop'), kind: 'Robot' }]);
    expect([server.peek(B), server.peek(OLD)]).toEqual([undefined, undefined]);
  });

  it('[dispatch G4] is not looked for without the option, and goes', async () => {
    const { server, collect } = await open({}, objectOf(A, ASKS));
    await collect([A]);
    expect(server.peek(A)).toBeUndefined();
  });

  it('[dispatch G4] counts on objects of components that the application still has, where these are named', async () => {
    const of = (component: string) => ({ ...ASKS, labels: { 'app.oam.dev/component': component } });
    const { server, collect } = await open(
      { skipGCAnnotation: true, components: ['web'] },
      objectOf(A, of('web')),
      objectOf(B, of('gone')),
    );
    await collect([A, B]);
    expect(server.peek(A)?.metadata.ownerReferences).toEqual([]);
    expect(server.peek(B)).toBeUndefined();
  });

  it('[dispatch G4] keeps the tracker where the owner cannot be taken off, and goes on where the object went meanwhile', async () => {
    const held = await open({ skipGCAnnotation: true }, objectOf(A, { ...ASKS, ownerReferences: refs }));
    held.server.addFaults([{ verb: 'update', name: 'a', code: 403, times: 1 }]);
    await expect(held.collect([A])).rejects.toMatchObject({
      stage: 'collect',
      object: { name: 'a' },
      message: expect.stringContaining('cannot delete resource'),
    });
    expect(held.server.peek(OLD)).toBeDefined();
    const gone = await open({ skipGCAnnotation: true }, objectOf(A, { ...ASKS, ownerReferences: refs }));
    gone.server.addFaults([{ verb: 'update', name: 'a', code: 404, times: 1 }]);
    await gone.collect([A]);
    expect(gone.server.peek(OLD)).toBeUndefined();
  });

  it('[design 8] deletes nothing while the state of one of them is not known', async () => {
    const { server, collect } = await open({ skipGCAnnotation: true }, objectOf(A), objectOf(B));
    server.addFaults([{ verb: 'get', name: 'b', code: 403, times: 1 }]);
    await expect(collect([A, B])).rejects.toMatchObject({
      stage: 'collect',
      message: expect.stringContaining('nothing is deleted while the state of ConfigMap b'),
    });
    expect([server.peek(A), server.peek(B), server.peek(OLD)]).not.toContain(undefined);
  });
});

describe('a tracker that older code left behind', () => {
  it('[dispatch G1] goes, and no object that it lists', async () => {
    const { server, handler, deletions } = await open({}, objectOf(A));
    await handler.forget(tracked('web-v1-shop', A), tracked('web-v2-shop'));
    expect(deletions).toEqual([{ name: 'web-v1-shop', options: {} }]);
    expect(server.peek(A)).toBeDefined();
  });

  it('[dispatch G3] stays where what it lists is kept', async () => {
    const { server, handler, deletions } = await open({ keepLegacyResource: true }, objectOf(A));
    await handler.forget(tracked('web-v1-shop', A), tracked('web-v2-shop'));
    expect([deletions, server.peek(OLD) === undefined]).toEqual([[], false]);
  });
});
