import { describe, expect, it } from 'vitest';
import type { DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import type { CommandRig, CommandRules } from './rig';
import { anApplication, createCommandRig, SHOP } from './rig';

// What is noted on an application for a deletion that does not happen is taken back, and nothing that somebody else wrote.

type Metadata = KubeObject['metadata'];
type Fate = 'delete' | 'keep';

const TRACKER = 'app.oam.dev/resource-tracker-finalizer';
const ORPHAN = 'app.oam.dev/orphan-resource';
const GUARD = 'example.com/guard';
const PLAN = 'slipway.dev/end-plan';
const CHANGED = { code: 'conflict', message: 'application web was changed in the meantime; review it again' };
const END = { place: SHOP, uid: 'app-uid' } as const;

const held = ({ cluster }: CommandRig) => [...cluster.objects].find(([, { kind }]) => kind === 'Application') ?? ['', anApplication()];

/** Deletes the application, which somebody writes between the note and the deletion. */
async function deleted(over: Partial<Metadata>, between: (noted: Metadata) => Partial<Metadata>, objects: Fate = 'delete') {
  let isWritten = false;
  const refuse: CommandRules['refuse'] = ({ verb, object, dryRun }) => {
    if (verb !== 'update' || object.kind !== 'Application' || dryRun || isWritten) return undefined;
    isWritten = true;
    queueMicrotask(() => {
      const [key, noted] = held(rig);
      rig.cluster.objects.set(key, { ...noted, metadata: { ...noted.metadata, resourceVersion: 'between', ...between(noted.metadata) } });
    }); // once this update is stored
    return undefined;
  };
  const rig = await createCommandRig({ objects: [anApplication(over)], refuse });
  const { plan } = (await rig.commands.deleteApplication(rig.session, { ...END, objects, dryRun: true })) as DeletionPreview;
  const outcome = rig.commands.deleteApplication(rig.session, { ...END, objects, plan });
  return { rig, outcome };
}

/** The same, where what was written is another thing than was seen: what is left of it. */
async function leftAfter(over: Partial<Metadata>, between: (noted: Metadata) => Partial<Metadata>, objects: Fate = 'delete') {
  const { rig, outcome } = await deleted(over, between, objects);
  await expect(outcome).rejects.toMatchObject(CHANGED);
  return held(rig)[1].metadata;
}

const respecified = () => ({ generation: 9 });

describe('an application that was noted for a deletion that does not happen', () => {
  it.each<readonly [string, readonly string[] | undefined, Fate, readonly string[]]>([
    ['had none', undefined, 'keep', []],
    ['had the one that is noted anyway, and one of its own', [TRACKER, GUARD], 'delete', [GUARD, TRACKER]],
    ['kept its objects, and was to go with them', [GUARD, TRACKER, ORPHAN], 'delete', [GUARD, TRACKER, ORPHAN]],
    ['was to leave its objects', [GUARD, TRACKER], 'keep', [GUARD, TRACKER]],
  ])('[issue 14.1] has the finalizers again that it had, where it %s', async (_what, finalizers, objects, left) => {
    const over = finalizers === undefined ? {} : { finalizers: [...finalizers] };
    expect((await leftAfter(over, respecified, objects)).finalizers).toEqual(left);
  });

  it('[issue 14.1] keeps the finalizers that somebody put on or took off in between, each once', async () => {
    const added = ({ finalizers = [] }: Metadata) => ({ finalizers: [...finalizers, GUARD] });
    expect((await leftAfter({ finalizers: [TRACKER] }, added, 'keep')).finalizers).toEqual([TRACKER, GUARD]);
    const putBack = () => ({ finalizers: [ORPHAN, TRACKER] });
    expect((await leftAfter({ finalizers: [TRACKER, ORPHAN] }, putBack)).finalizers).toEqual([ORPHAN, TRACKER]);
    const none = { finalizers: undefined } as unknown as Partial<Metadata>;
    expect((await leftAfter({ finalizers: [TRACKER] }, () => none)).finalizers).toEqual([]);
  });

  it('[issue 14.1] names no plan any more, and keeps all else that is written on it', async () => {
    const { annotations } = await leftAfter({ annotations: { 'example.com/team': 'checkout' } }, respecified);
    expect(annotations).toEqual({ 'example.com/team': 'checkout' });
  });

  it('[issue 14.1] keeps the plan and the finalizers of somebody else, who noted theirs in between', async () => {
    const theirs = () => ({ annotations: { [PLAN]: 'sha256:theirs' }, finalizers: [TRACKER, ORPHAN], generation: 9 });
    expect(await leftAfter({}, theirs)).toMatchObject({ annotations: { [PLAN]: 'sha256:theirs' }, finalizers: [TRACKER, ORPHAN] });
  });

  it('[issue 14.1] is left as it is where somebody else deleted it in between, or it is another one by now', async () => {
    const gone = await leftAfter({}, () => ({ deletionTimestamp: '2026-01-01T00:00:00Z' }), 'keep');
    expect(gone).toMatchObject({ resourceVersion: 'between', finalizers: [TRACKER, ORPHAN], annotations: { [PLAN]: expect.any(String) } });
    const another = await leftAfter({}, () => ({ uid: 'later-uid' }), 'keep');
    expect(another).toMatchObject({
      resourceVersion: 'between',
      finalizers: [TRACKER, ORPHAN],
      annotations: { [PLAN]: expect.any(String) },
    });
  });
});

describe('the deletion of an application', () => {
  it('[issue 14.1] goes on where its finalizers were only written in another order', async () => {
    const { rig, outcome } = await deleted({ finalizers: [GUARD] }, ({ finalizers = [] }) => ({ finalizers: [...finalizers].reverse() }));
    await expect(outcome).resolves.toMatchObject({ waits: null });
    expect(held(rig)[0]).toBe('');
  });

  it.each([
    [409, 'Conflict'],
    [404, 'NotFound'],
  ])(
    '[issue 14.1] is answered as one of what has changed where the cluster answers %d while it is tried, and nothing is on record',
    async (code, reason) => {
      const cause = new KubeApiError({ code, reason, message: 'not as it was' });
      const refuse: CommandRules['refuse'] = ({ verb, dryRun }) => (verb === 'update' && dryRun ? cause : undefined);
      const rig = await createCommandRig({ objects: [anApplication()], refuse });
      const { plan } = (await rig.commands.deleteApplication(rig.session, { ...END, objects: 'delete', dryRun: true })) as DeletionPreview;
      await expect(rig.commands.deleteApplication(rig.session, { ...END, objects: 'delete', plan })).rejects.toMatchObject({
        ...CHANGED,
        cause,
      });
      expect([rig.recorded, rig.cluster.writes.filter(({ dryRun }) => !dryRun)]).toEqual([[], []]);
    },
  );

  it('[design 13 K] is tried of exactly the one that was seen, before anything is on record or noted', async () => {
    const refuse: CommandRules['refuse'] = ({ verb, object, dryRun }) => {
      if (verb !== 'update' || object.kind !== 'Application' || !dryRun) return undefined;
      queueMicrotask(() => rig.cluster.objects.set(held(rig)[0], anApplication({ uid: 'later-uid' })));
      return undefined;
    };
    const rig = await createCommandRig({ objects: [anApplication()], refuse });
    const { plan } = (await rig.commands.deleteApplication(rig.session, { ...END, objects: 'delete', dryRun: true })) as DeletionPreview;
    await expect(rig.commands.deleteApplication(rig.session, { ...END, objects: 'delete', plan })).rejects.toMatchObject(CHANGED);
    expect([rig.recorded, held(rig)[1].metadata.uid]).toEqual([[], 'later-uid']);
  });
});

describe('what goes with an object of an application', () => {
  it('[issue 14.1] is told among all that go, and not among what stays or is gone', async () => {
    const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
    const of = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, uid: `${name}-uid` });
    const configMap = (name: string, uid = `${name}-uid`): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'shop', name, uid, labels },
    });
    const tracker = {
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v1-shop', labels },
      spec: { type: 'versioned', managedResources: ['a', 'b', 'stays', 'gone'].map(of) },
    };
    const rig = await createCommandRig({
      objects: [anApplication(), tracker, configMap('a'), configMap('b'), configMap('stays', 'another-uid')],
    });
    rig.blast = ['{how}'];
    const { changes } = (await rig.commands.deleteApplication(rig.session, { ...END, objects: 'delete', dryRun: true })) as DeletionPreview;
    expect(changes.map(({ name, verdict, blast }) => [name, verdict, blast])).toEqual([
      ['a', 'deleted', ['alone among 2']],
      ['b', 'deleted', ['alone among 2']],
      ['stays', 'kept', []],
      ['gone', 'gone', []],
    ]);
  });
});
