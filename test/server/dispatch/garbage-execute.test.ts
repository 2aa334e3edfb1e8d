import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { GarbagePolicy, TrackerEntry } from '@/server/dispatch';
import { emptyTrackers, executeGarbage, planGarbage, readLive } from '@/server/dispatch';
import type { DeleteOptions } from '@/server/kube';
import type { FakeApiServer } from '../../support/dispatch-server';
import { APPLICATION, allThere, entry, objectOf, server, TIED, TRACKER, thereWith, tracker } from './garbage-rig';

const A = entry('ConfigMap', 'a');
const OLD = tracker('old', [A]);
const ROBOT = { apiVersion: 'x/v1', kind: 'Robot', name: 'r1', uid: 'r', controller: true };
const everything = (strategy: 'never' | 'onAppUpdate' | 'onAppDelete', more: object = {}): GarbagePolicy => ({
  rules: [{ selector: { resourceTypes: ['ConfigMap'] }, strategy, ...more }],
});

/** What was deleted, in order, with what the delete asked for. */
function deletesOf(fake: FakeApiServer): { readonly name: string; readonly options: DeleteOptions }[] {
  const seen: { name: string; options: DeleteOptions }[] = [];
  const remove = fake.delete.bind(fake);
  fake.delete = (at, options = {}) => {
    seen.push({ name: at.name, options });
    return remove(at, options);
  };
  return seen;
}

describe('deleting what a plan names', () => {
  it('[design 13 G] carries uid and version of what was read, and deletes what it owns as the rule says', async () => {
    for (const [propagation, wanted] of [
      [undefined, 'Background'],
      ['orphan', 'Orphan'],
      ['cascading', 'Foreground'],
    ] as const) {
      const fake = await server(objectOf(A));
      const { resourceVersion } = fake.peek(A)?.metadata ?? {};
      const deletes = deletesOf(fake);
      await executeGarbage(fake, planGarbage(OLD, undefined, { ...allThere, policy: everything('onAppUpdate', { propagation }) }), [OLD]);
      expect(deletes).toEqual([
        { name: 'a', options: { preconditions: { uid: A.uid, resourceVersion }, propagationPolicy: wanted } },
        { name: 'old', options: { preconditions: { uid: OLD.uid }, propagationPolicy: 'Orphan' } },
      ]);
    }
  });

  it.each<[string, Partial<KubeObject['metadata']>, string]>([
    ['has another controller', { ownerReferences: [ROBOT] }, 'Robot r1 controls it since it was planned'],
    ['has other labels', { labels: { team: 'b' } }, 'its labels, or what it asks for, changed since it was planned'],
    ['asks to stay', { annotations: { 'app.oam.dev/skipGC': '' } }, 'its labels, or what it asks for, changed since it was planned'],
    ['is another one', { uid: 'another' }, 'it was planned as uid uid:ConfigMap/shop/a, found another'],
  ])('[issue 9, 6] leaves an object that %s by now, and everything after it', async (_what, more, why) => {
    const b = entry('ConfigMap', 'b');
    const fake = await server(objectOf(A, more), objectOf(b));
    const old = tracker('old', [A, b]);
    await expect(executeGarbage(fake, planGarbage(old, undefined, allThere), [old])).rejects.toMatchObject({
      message: `cannot delete ConfigMap a in shop: ${why}`,
      stage: 'collect',
      object: { kind: 'ConfigMap', name: 'a' },
      cause: { stage: 'collect' },
    });
    expect([fake.peek(A), fake.peek(b), fake.peek({ ...TRACKER, name: 'old' })]).not.toContain(undefined);
  });

  it('[issue 9, 6] goes on where the controller is the one that the plan saw, or is gone since', async () => {
    const own = { ...ROBOT, uid: OLD.uid };
    for (const more of [{ ownerReferences: [own] }, {}]) {
      const fake = await server(objectOf(A, more));
      await executeGarbage(fake, planGarbage(OLD, undefined, thereWith({ ownerReferences: [own] })), [OLD]);
      expect(fake.peek(A)).toBeUndefined();
    }
  });

  it('[design 13 K] tells what it deleted, and neither what is going already nor what went', async () => {
    const [going, gone] = [entry('ConfigMap', 'going'), entry('ConfigMap', 'gone')];
    const fake = await server(objectOf(going, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y'] }), objectOf(A));
    const old = tracker('old', [going, gone, A]);
    const told: string[] = [];
    await executeGarbage(fake, planGarbage(old, undefined, allThere), [old], {
      onDeleted: async ({ entry: { name } }) => void told.push(name),
      onTrackerDeleted: async ({ name }) => void told.push(name),
    });
    expect(told).toEqual(['a', 'old']);
    expect(fake.requests.filter(({ verb, kind }) => verb === 'delete' && kind === 'ConfigMap')).toHaveLength(1);
  });

  it('[design 13 K] goes on where an object went between the look and the deletion, and tells nobody that it deleted it', async () => {
    const fake = await server(objectOf(A));
    fake.addFaults([{ verb: 'delete', name: 'a', code: 404, times: 1 }]);
    const told: string[] = [];
    await executeGarbage(fake, planGarbage(OLD, undefined, allThere), [OLD], {
      onDeleted: async ({ entry: { name } }) => void told.push(name),
    });
    expect([told, fake.peek({ ...TRACKER, name: 'old' })]).toEqual([[], undefined]);
  });

  it('[dispatch G8] what others live in or are instances of goes last, wherever it is recorded', async () => {
    const { namespace: _none, ...ground } = entry('Namespace', 'shop');
    const fake = await server(objectOf(ground), objectOf(A));
    const deletes = deletesOf(fake);
    const old = tracker('old', [ground, A]);
    await executeGarbage(fake, planGarbage(old, undefined, { ...allThere, named: { objects: ['Namespace//shop'] } }), [old]);
    expect(deletes.map(({ name }) => name)).toEqual(['a', 'shop', 'old']);
  });

  it('[design 8] keeps what is held, handed over or kept', async () => {
    const [claim, shared] = [entry('PersistentVolumeClaim', 'data'), entry('ConfigMap', 'shared')];
    const fake = await server(objectOf(claim), objectOf(shared), objectOf(A, { labels: TIED }));
    const old = tracker('old', [claim, shared, A]);
    const plan = planGarbage(old, tracker('next', [shared]), { ...thereWith({ labels: TIED }), policy: everything('never') });
    expect(plan.items.map(({ verdict }) => verdict)).toEqual(['held', 'handed-over', 'kept']);
    await executeGarbage(fake, plan, [old]);
    expect([fake.peek(claim), fake.peek(shared), fake.peek(A)]).not.toContain(undefined);
  });
});

describe('trackers of a collection', () => {
  const at = { ...TRACKER, name: 'old' };

  it('[issue 9, 6] one whose record has changed since stays, one as it was goes', async () => {
    const fake = await server(objectOf(A));
    const plan = planGarbage(OLD, undefined, allThere);
    await expect(executeGarbage(fake, plan, [{ ...OLD, resourceVersion: '1' }])).rejects.toMatchObject({
      stage: 'collect',
      message: expect.stringContaining('cannot delete resource tracker "old"'),
      cause: expect.anything(),
    });
    expect(fake.peek(at)).toBeDefined();
    const { resourceVersion = '' } = fake.peek(at)?.metadata ?? {};
    await executeGarbage(fake, plan, [{ ...OLD, resourceVersion }]);
    expect(fake.peek(at)).toBeUndefined();
  });

  it('[issue 9, 6] one that was created again under its name stays', async () => {
    const fake = await server(objectOf(A));
    await expect(executeGarbage(fake, planGarbage(OLD, undefined, allThere), [{ ...OLD, uid: 'former' }])).rejects.toThrow(
      'cannot delete resource tracker',
    );
    expect(fake.peek(at)).toBeDefined();
  });

  it('[design 13 K] one that is gone is told to nobody', async () => {
    const fake = await server(objectOf(A));
    const told: string[] = [];
    const gone = tracker('gone', []);
    await executeGarbage(fake, planGarbage([OLD, gone], undefined, allThere), [OLD, gone], {
      onTrackerDeleted: async ({ name }) => void told.push(name),
    });
    expect(told).toEqual(['old']);
  });

  it('[dispatch G9] one that lists what waits for the application stays, and the others go', async () => {
    const b = entry('Service', 'b');
    const [waits, goes] = [tracker('waits', [A]), tracker('old', [b])];
    const fake = await server(objectOf(A), objectOf(b));
    fake.seed({ ...TRACKER, metadata: { name: 'waits' } });
    const plan = planGarbage([waits, goes], tracker('next', []), { ...allThere, policy: everything('onAppDelete') });
    expect(emptyTrackers(plan, [waits, goes])).toEqual([goes]);
    await executeGarbage(fake, plan, [waits, goes]);
    expect([fake.peek(A), fake.peek({ ...TRACKER, name: 'waits' })]).not.toContain(undefined);
    expect([fake.peek(b), fake.peek(at)]).toEqual([undefined, undefined]);
  });
});

describe('letting objects loose', () => {
  const options = { application: APPLICATION };
  const released = planGarbage(OLD, undefined, { ...thereWith({ labels: TIED }), release: true, ...options });
  const labelsOf = (fake: FakeApiServer) => fake.peek(A)?.metadata.labels;

  it('[dispatch G6] takes the two labels of the application and nothing else', async () => {
    const fake = await server(objectOf(A, { labels: { ...TIED, team: 'b' } }));
    await executeGarbage(fake, released, [OLD], options);
    expect(labelsOf(fake)).toEqual({ team: 'b' });
    expect(fake.peek({ ...TRACKER, name: 'old' })).toBeUndefined();
  });

  it.each<[string, KubeObject]>([
    ['that was created again', objectOf({ ...A, uid: 'another' }, { labels: TIED })],
    ['that another application has taken over', objectOf(A, { labels: { ...TIED, 'app.oam.dev/name': 'api' } })],
  ])('[dispatch G6] leaves alone an object %s', async (_what, object) => {
    const fake = await server(object);
    const before = labelsOf(fake);
    await executeGarbage(fake, released, [OLD], options);
    expect(labelsOf(fake)).toEqual(before);
    expect(fake.requests.map(({ verb }) => verb)).not.toContain('patch');
  });

  it('[dispatch G6] leaves alone an object that another application takes over between read and write', async () => {
    const fake = await server(objectOf(A, { labels: TIED }));
    let raced = false;
    fake.onRequest = (verb, at) => {
      if (verb !== 'patch' || raced || at.kind !== 'ConfigMap') return;
      raced = true;
      fake.seed(objectOf(A, { labels: { ...TIED, 'app.oam.dev/name': 'api' } }));
    };
    await executeGarbage(fake, released, [OLD], options);
    expect([raced, labelsOf(fake)]).toEqual([true, { ...TIED, 'app.oam.dev/name': 'api' }]);
  });

  it('[dispatch G6] takes none of what the application goes on with', async () => {
    const shared = entry('ConfigMap', 'shared');
    const fake = await server(objectOf(A, { labels: TIED }), objectOf(shared, { labels: TIED }));
    const old = tracker('old', [A, shared]);
    const plan = planGarbage(old, tracker('next', [shared]), { ...thereWith({ labels: TIED }), policy: everything('never'), ...options });
    await executeGarbage(fake, plan, [old], options);
    expect([labelsOf(fake), fake.peek(shared)?.metadata.labels]).toEqual([{}, TIED]);
  });

  it('[dispatch G6] lets loose what was recorded without a uid, too', async () => {
    const { uid: _uid, ...bare } = A;
    const fake = await server(objectOf(A, { labels: TIED }));
    const old = tracker('old', [bare]);
    await executeGarbage(
      fake,
      planGarbage(old, undefined, { live: () => ({ kind: 'present', object: objectOf(A, { labels: TIED }) }), release: true, ...options }),
      [old],
      options,
    );
    expect(labelsOf(fake)).toEqual({});
  });

  it('[dispatch G6] takes none where nobody says whose they are', async () => {
    const fake = await server(objectOf(A, { labels: TIED }));
    await executeGarbage(fake, released, [OLD]);
    expect(labelsOf(fake)).toEqual(TIED);
  });

  it('[dispatch G6] reads again where somebody wrote in between, and asks for nothing of what is gone', async () => {
    const fake = await server(objectOf(A, { labels: TIED }));
    fake.addFaults([{ verb: 'patch', kind: 'ConfigMap', code: 409, times: 1 }]);
    await executeGarbage(fake, released, [OLD], options);
    expect(labelsOf(fake)).toEqual({});
    const gone = await server();
    await executeGarbage(gone, released, [OLD], options);
    expect(gone.requests.map(({ verb }) => verb)).not.toContain('patch');
    const going = await server(objectOf(A, { labels: TIED }));
    going.addFaults([{ verb: 'patch', kind: 'ConfigMap', code: 404, times: 1 }]);
    await executeGarbage(going, released, [OLD], options);
    expect(going.peek({ ...TRACKER, name: 'old' })).toBeUndefined();
  });

  it('[dispatch G6] keeps the tracker while an object could not be let loose', async () => {
    const fake = await server(objectOf(A, { labels: TIED }));
    fake.addFaults([{ verb: 'patch', kind: 'ConfigMap', code: 403, times: 1 }]);
    await expect(executeGarbage(fake, released, [OLD], options)).rejects.toThrow('cannot release ConfigMap a in shop');
    expect(fake.peek({ ...TRACKER, name: 'old' })).toBeDefined();
  });
});

describe('reading what trackers list', () => {
  const states = async (fake: FakeApiServer, ...entries: readonly TrackerEntry[]) => {
    const live = await readLive(fake, entries);
    return entries.map((one) => live(one));
  };

  it('[design 8] knows of another cluster nothing, and does not look here for it', async () => {
    const fake = await server(objectOf(A));
    expect(await states(fake, { ...A, cluster: 'east' })).toEqual([{ kind: 'unknown', why: 'it lives in cluster east' }]);
    expect(fake.requests).toEqual([]);
  });

  it('[design 8] reads each object once, and knows nothing of what it was not asked to read', async () => {
    const fake = await server(objectOf(A));
    const live = await readLive(fake, [A, A]);
    expect(live(A)).toMatchObject({ kind: 'present', object: { metadata: { uid: A.uid } } });
    expect(fake.requests.filter(({ verb }) => verb === 'get')).toHaveLength(1);
    expect(live(entry('ConfigMap', 'b'))).toEqual({ kind: 'unknown', why: 'it was not read' });
  });

  it('[design 8] tells what is not there from what it could not read', async () => {
    const fake = await server();
    fake.addFaults([{ verb: 'get', name: 'b', code: 403, times: 1 }]);
    const [absent, unknown] = await states(fake, A, entry('ConfigMap', 'b'));
    expect(absent).toEqual({ kind: 'absent' });
    expect(unknown).toMatchObject({ kind: 'unknown', why: expect.stringContaining('ConfigMap b in shop cannot be read: ') });
  });
});
