import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmbedded } from '@/server/embedded';
import { fence } from '@/server/framework';
import { NotLeadingError } from '@/server/framework/leadership/fence';
import type { Cluster } from '@/server/kube';
import { createRemoteCluster } from '@/server/kube';
import { createRandom, realClock } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';

/** True for a write that the fence refused, whatever it is wrapped in. */
function isNotLeading(error: unknown): boolean {
  return error instanceof NotLeadingError || (error instanceof Error && error.cause !== undefined && isNotLeading(error.cause));
}

const AT = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'web' } as const;
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'web' } } as const;
const PERSON = { user: 'ada', groups: ['system:masters'] } as const;

async function startFenced() {
  const clock = new ManualClock();
  const random = createRandom(1);
  const embedded = await startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog, controllers: false });
  const right = { mayAct: true };
  const fenced = fence(embedded.cluster, () => right.mayAct);
  return { cluster: embedded.cluster, fenced, right, [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose]() };
}

const WRITES: readonly (readonly [string, (cluster: Cluster) => Promise<unknown>])[] = [
  ['create', (cluster) => cluster.create({ ...OBJECT, metadata: { ...OBJECT.metadata, name: 'other' } })],
  ['update', (cluster) => cluster.update({ ...OBJECT, data: { a: 'b' } })],
  ['patch', (cluster) => cluster.patch(AT, { type: 'merge', body: { data: { a: 'b' } } })],
  ['delete', (cluster) => cluster.delete(AT)],
  ['deleteCollection', (cluster) => cluster.deleteCollection({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' })],
  [
    'a raw POST',
    (cluster) => cluster.request({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', body: JSON.stringify(OBJECT) }),
  ],
];

describe('the fence around writes', () => {
  it('[issue 10.1] lets whoever may not act ask what somebody may do', async () => {
    await using house = await startFenced();
    house.right.mayAct = false;
    const spec = { user: 'ada', resourceAttributes: { verb: 'get', resource: 'pods' } };
    const asked = await house.fenced.create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec });
    expect(asked).toMatchObject({ status: { allowed: expect.any(Boolean) } });
    expect(await house.fenced.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} })).toMatchObject({
      status: {},
    });
  });

  it.each(WRITES)('[issue 4] refuses %s by name while this replica may not act, also as a person', async (_, write) => {
    await using house = await startFenced();
    await house.cluster.create(OBJECT);
    house.right.mayAct = false;
    const before = await house.cluster.get(AT);
    for (const port of [house.fenced, house.fenced.as(PERSON)]) {
      await expect(write(port)).rejects.toSatisfy(isNotLeading);
    }
    expect(await house.cluster.get(AT)).toEqual(before);
    house.right.mayAct = true;
    await expect(write(house.fenced)).resolves.not.toThrow();
  });

  it('[issue 4] never refuses to read', async () => {
    await using house = await startFenced();
    await house.cluster.create(OBJECT);
    house.right.mayAct = false;
    expect((await house.fenced.get(AT)).metadata.name).toBe('web');
    expect((await house.fenced.as(PERSON).get(AT)).metadata.name).toBe('web');
    expect((await house.fenced.request({ path: '/readyz' })).status).toBe(200);
  });

  it('[issue 4] asks again when a write leaves the queue it waited in', async () => {
    await using house = await startFenced();
    let leave: () => void = () => undefined;
    const queue = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const queued: Cluster = {
      ...house.cluster,
      async create(object, options) {
        await queue;
        return house.cluster.create(object, options);
      },
    };
    const write = fence(queued, () => house.right.mayAct).create(OBJECT);
    house.right.mayAct = false;
    leave();
    await expect(write).rejects.toSatisfy(isNotLeading);
    await expect(house.cluster.get(AT)).rejects.toThrow('not found');
  });

  it('[issue 4] a write that waited for its turn at the throttle is asked about when it goes out over HTTP', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'fence-'));
    const random = createRandom(1);
    await using embedded = await startEmbedded({
      clock: realClock,
      random,
      ids: createSeededIds(random),
      log: silentLog,
      controllers: false,
    });
    const { kubeconfig } = await embedded.serve();
    await writeFile(path.join(folder, 'kubeconfig'), kubeconfig);
    const source = { kind: 'kubeconfig', path: path.join(folder, 'kubeconfig') } as const;
    // Few at once, then one every hundred milliseconds.
    await using remote = createRemoteCluster({
      source,
      clock: realClock,
      random,
      log: silentLog,
      rates: { engine: { qps: 10, burst: 3 } },
    });
    await remote.discovery.resolve(AT);
    // All are begun while it may act; it ceases to once those of the burst have left, however long their answers take.
    let asked = 0;
    const fenced = fence(remote, () => ++asked <= 12 + 3);
    const writes = Array.from({ length: 12 }, (_, number) =>
      fenced.create({ ...OBJECT, metadata: { namespace: 'default', name: `web-${number}` } }),
    );
    expect(asked).toBe(12);
    const refused = (await Promise.allSettled(writes)).filter((answer) => answer.status === 'rejected');
    expect(refused.length).toBe(9);
    expect(refused.every(({ reason }) => isNotLeading(reason))).toBe(true);
    await rm(folder, { recursive: true });
  });

  it('[issue 4] hands the abort of the caller on', async () => {
    await using house = await startFenced();
    const ending = new AbortController();
    ending.abort(new Error('the pass was ended'));
    await expect(house.fenced.create(OBJECT, { signal: ending.signal })).rejects.toThrow('the pass was ended');
  });
});
