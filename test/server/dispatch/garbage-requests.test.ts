import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import type { GarbageItem, GarbagePlan, TrackerEntry } from '@/server/dispatch';
import { executeGarbage, planGarbage, readLive } from '@/server/dispatch';
import { GCHandler } from '@/server/dispatch/garbage/handler';
import type { FakeApiServer } from '../../support/dispatch-server';
import { APPLICATION, entry, objectOf, server, TIED, TRACKER, thereWith, tracker } from './garbage-rig';

const A = entry('ConfigMap', 'a');
const OLD = tracker('old', [A]);
const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...TRACKER,
  name,
  uid: `uid:ResourceTracker/${name}`,
  ...more,
});
const planOf = (...items: readonly Partial<GarbageItem>[]): GarbagePlan =>
  ({ items: items.map((item) => ({ id: 'x', why: '', tracker: 'old', entry: A, ...item })) }) as unknown as GarbagePlan;

/** The requests that were sent with a signal, and those without. */
function signals(fake: FakeApiServer): { readonly with: string[]; readonly without: string[] } {
  const seen = { with: [] as string[], without: [] as string[] };
  for (const verb of ['get', 'delete', 'patch', 'update'] as const) {
    const send = (fake[verb] as (...args: readonly unknown[]) => Promise<unknown>).bind(fake);
    Object.assign(fake, {
      [verb]: (...args: readonly unknown[]) => {
        const options = args.at(-1) as { readonly signal?: AbortSignal } | undefined;
        seen[options?.signal instanceof AbortSignal ? 'with' : 'without'].push(verb);
        return send(...args);
      },
    });
  }
  return seen;
}

describe('a collection that is called off', () => {
  const { signal } = new AbortController();
  const releasing = planGarbage(OLD, undefined, { ...thereWith({ labels: TIED }), release: true, application: APPLICATION });

  it.each<[string, GarbagePlan, object, readonly string[]]>([
    ['deletes', planGarbage(OLD, undefined, thereWith({ labels: TIED })), {}, ['get', 'delete', 'delete']],
    ['lets go', releasing, { application: APPLICATION }, ['get', 'patch', 'delete']],
    ['deletes without a look', planOf({ verdict: 'deleted', unread: true }), { cascade: true }, ['delete', 'delete']],
    ['takes an owner off', planOf({ verdict: 'kept' }), { cascade: true }, ['get', 'update', 'delete']],
  ])('[design 13 K] can be so at each of its requests, where it %s', async (_what, plan, options, verbs) => {
    const fake = await server(objectOf(A, { labels: TIED }));
    const seen = signals(fake);
    await executeGarbage(fake, plan, [OLD], { signal, ...options });
    expect(seen).toEqual({ with: verbs, without: [] });
  });

  it('[design 13 K] can be so while it reads', async () => {
    const fake = await server(objectOf(A));
    const seen = signals(fake);
    await readLive(fake, [A], signal);
    expect(seen).toEqual({ with: ['get'], without: [] });
  });
});

describe('deleting without a look', () => {
  it('[dispatch G1] keeps what older revisions have where that is asked for and the application goes on, and nothing else', () => {
    const live = () => ({ kind: 'unread' }) as const;
    const planned = (next: Parameters<typeof planGarbage>[1], keepLegacyResource?: boolean) =>
      planGarbage(OLD, next, { live, ...(keepLegacyResource === undefined ? {} : { policy: { keepLegacyResource } }) }).items.map(
        ({ verdict, unread = false, retained = false }) => ({ verdict, unread, retained }),
      );
    const next = tracker('next', []);
    const goes = [{ verdict: 'deleted', unread: true, retained: false }];
    expect(planned(next, true)).toEqual([{ verdict: 'kept', unread: false, retained: true }]);
    expect([planned(next), planned(next, false), planned(undefined, true)]).toEqual([goes, goes, goes]);
  });

  it('[dispatch G1] tells what it deleted, and not what was gone', async () => {
    const fake = await server(objectOf(A));
    const told: string[] = [];
    const plan = planOf({ verdict: 'deleted', unread: true }, { verdict: 'deleted', unread: true, entry: entry('ConfigMap', 'gone') });
    await executeGarbage(fake, plan, [], { cascade: true, onDeleted: async ({ entry: { name } }) => void told.push(name) });
    expect(told).toEqual(['a']);
  });
});

describe('what lives in another cluster', () => {
  it('[dispatch G1] stops a collection without a look, whose tracker stays: here its namesake would go', async () => {
    const fake = await server(objectOf(A));
    const tracked = (name: string, ...entries: readonly TrackerEntry[]) => ({ name, uid: `uid:${name}`, entries });
    fake.seed({ ...TRACKER, metadata: { name: 'web-v1-shop' } });
    const collecting = new GCHandler(fake, 'shop').garbageCollect(
      tracked('web-v1-shop', { ...A, cluster: 'east' }),
      tracked('web-v2-shop'),
    );
    await expect(collecting).rejects.toMatchObject({ cause: new Error('it lives in cluster east') });
    expect([fake.peek(A), fake.peek({ ...TRACKER, name: 'web-v1-shop' })]).not.toContain(undefined);
  });
});

describe('an object that stays where its tracker goes with what it owns', () => {
  /** Who owns it afterwards. */
  async function ownersAfter(
    trackers: Parameters<typeof executeGarbage>[2],
    owners: readonly OwnerReference[],
    item: Partial<GarbageItem> = {},
  ) {
    const kept = objectOf(A, { ownerReferences: owners });
    const fake = await server(kept);
    await executeGarbage(fake, planOf({ verdict: 'kept', ...item }), trackers, { cascade: true });
    return (fake.peek(A) as KubeObject).metadata.ownerReferences?.map(({ name }) => name);
  }
  const web = owner('web', { kind: 'Application' });

  it('[dispatch G7] loses that tracker as an owner, by uid or by name, and no other one', async () => {
    const trackers = [tracker('next', []), OLD];
    expect(await ownersAfter(trackers, [owner('next'), web, owner('old')])).toEqual(['next', 'web']);
    expect(await ownersAfter(trackers, [owner('renamed', { uid: OLD.uid }), owner('old', { uid: 'another' }), owner('next')])).toEqual([
      'next',
    ]);
    expect(await ownersAfter([], [owner('old'), owner('next')])).toEqual(['next']);
  });

  it('[dispatch G7] keeps its owners where it waits for the application to go', async () => {
    expect(await ownersAfter([], [owner('old')], { retained: true })).toEqual(['old']);
  });
});

describe('an object that could not be let loose', () => {
  it('[dispatch G6] is named, with the step that failed', async () => {
    const fake = await server(objectOf(A, { labels: TIED }));
    fake.addFaults([{ verb: 'patch', kind: 'ConfigMap', code: 403, times: 1 }]);
    const plan = planGarbage(OLD, undefined, { ...thereWith({ labels: TIED }), release: true, application: APPLICATION });
    const { namespace, name } = A satisfies TrackerEntry;
    await expect(executeGarbage(fake, plan, [OLD], { application: APPLICATION })).rejects.toMatchObject({
      stage: 'collect',
      object: { kind: 'ConfigMap', namespace, name },
      cause: expect.any(Error),
    });
  });
});
