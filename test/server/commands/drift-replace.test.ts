import { describe, expect, it } from 'vitest';
import type { DriftRepair } from '@/lib/contract/drift-rows';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

import { KubeApiError } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import type { Bench } from './drift-bench';
import { compared, deployment, liveOf, open } from './drift-bench';
import type { CommandRig } from './rig';
import { anApplication, aRollout, CANARY, SHOP } from './rig';

describe('replacing an object that cannot be changed to what is wanted', () => {
  const settings = (data: object, over: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'shop' },
    data,
    immutable: true,
    ...over,
  });
  const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
  const BLAST = ['deletes 2 Pods with it: a, b'];
  const FAILING: DriftRepair = { when: 'waits', why: 'The last try failed.', failing: true };
  const cause = { field: 'data', message: 'Forbidden: field is immutable when `immutable` is set', reason: 'FieldValueForbidden' };
  const invalid = (over = cause) =>
    new KubeApiError({ code: 422, reason: 'Invalid', message: 'ConfigMap "settings" is invalid', details: { causes: [over] } });
  const asked = (over: object = {}) => ({
    ...SETTINGS,
    ns: 'shop',
    seen: ['data.mode'],
    uid: 'settings-uid',
    blast: BLAST,
    waitsFor: [],
    ...over,
  });

  async function openSettings(bench: Partial<Bench> = {}, live?: KubeObject): Promise<CommandRig> {
    const held =
      live ??
      (await liveOf(settings({ mode: 'wanted' }), (one) => ({
        ...one,
        metadata: { ...one.metadata, uid: 'settings-uid' },
        data: { mode: 'found' },
      })));
    const refuse: FakeRules['refuse'] = ({ verb }) => (verb === 'patch' ? invalid() : undefined);
    const rig = await open({
      manifest: settings({ mode: 'wanted' }),
      live: held,
      repair: FAILING,
      ...bench,
      rules: { refuse, ...bench.rules },
    });
    rig.blast = BLAST;
    return rig;
  }
  const done = (rig: CommandRig) =>
    rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ verb, object, person }) => [verb, object.kind, person?.user]);

  it('[design 14] is offered with the cluster’s reason and what goes with it, and only where a change was refused', async () => {
    const rig = await openSettings();
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, SETTINGS)).replacement).toEqual({
      why: 'data: Forbidden: field is immutable when `immutable` is set',
      uid: 'settings-uid',
      blast: BLAST,
      waitsFor: [],
      refused: null,
    });
    const changeable = await openSettings({ rules: { refuse: () => undefined } });
    expect(compared(await changeable.commands.readDrift(changeable.session, SHOP, SETTINGS)).replacement).toBeNull();
    expect([done(rig), done(changeable)]).toEqual([[], []]);
  });

  it('[design 8] tells no values that the cluster adds to its reason', async () => {
    const leaky = {
      field: 'spec.template',
      message: `Invalid value: {"env":"${CANARY}"}: field is immutable`,
      reason: 'FieldValueInvalid',
    };
    const rig = await openSettings({ rules: { refuse: ({ verb }) => (verb === 'patch' ? invalid(leaky) : undefined) } });
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, SETTINGS)).replacement?.why).toBe('spec.template: field is immutable');
  });

  it('[design 14] a rule in words of its own counts where the same object would be taken as a new one, and a wrong field does not', async () => {
    const own = invalid({ field: 'spec', message: 'no edits, please', reason: 'FieldValueInvalid' });
    const fixed = await openSettings({ rules: { refuse: ({ verb }) => (verb === 'patch' ? own : undefined) } });
    expect(compared(await fixed.commands.readDrift(fixed.session, SHOP, SETTINGS)).replacement?.why).toBe('spec: no edits, please');
    const wrong = await openSettings({ rules: { refuse: () => own } });
    expect(compared(await wrong.commands.readDrift(wrong.session, SHOP, SETTINGS)).replacement).toBeNull();
  });

  it('[design 14] is on record, then deletes exactly what was seen, as the person', async () => {
    const rig = await openSettings();
    await rig.commands.replaceObject(rig.session, SHOP, asked());
    expect(done(rig)).toEqual([['delete', 'ConfigMap', 'operator']]);
    expect(rig.recorded).toMatchObject([
      { actor: 'operator', action: 'drift.replace', about: SETTINGS, data: { uid: 'settings-uid', blast: BLAST } },
    ]);
  });

  it('[design 14] asks the engine to make it again where apply-once would leave it gone', async () => {
    const rig = await openSettings({ policy: { keep: ['*'] }, repair: { when: 'never', why: 'apply-once' } });
    const { fields } = compared(await rig.commands.readDrift(rig.session, SHOP, SETTINGS));
    await rig.commands.replaceObject(rig.session, SHOP, asked({ seen: fields.map(({ path }) => path) }));
    expect(done(rig)).toEqual([
      ['delete', 'ConfigMap', 'operator'],
      ['update', 'Application', 'operator'],
    ]);
    expect(rig.cluster.writes.at(-1)?.object.metadata.annotations?.[PUT_BACK.asked]).toBe('ConfigMap/shop/settings');
    expect(rig.recorded.at(-1)).toMatchObject({
      message: 'requests a revert of ConfigMap settings in shop: it is gone',
      data: { paths: [] },
    });
  });

  it('[design 8] of an object of the whole cluster requires its rights in the cluster, whatever namespace the request names', async () => {
    const manifest: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' } };
    const disk = { ...manifest, metadata: { name: 'disk', uid: 'disk-uid' } };
    const replace = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'disk', seen: [], uid: 'disk-uid', blast: [], waitsFor: [] };
    for (const right of ['delete', 'create']) {
      const may: FakeRules['may'] = ({ resource, verb, namespace }) =>
        resource !== 'persistentvolumes' || verb !== right || namespace === 'shop';
      for (const ns of ['shop', undefined]) {
        const rig = await open({ manifest, live: disk, repair: FAILING, rules: { may } });
        await expect(rig.commands.replaceObject(rig.session, SHOP, { ...replace, ns })).rejects.toMatchObject({
          code: 'forbidden',
          message: expect.stringMatching(new RegExp(`"${right}" on persistentvolumes.* \\(cluster-scoped\\)`)),
        });
        expect([done(rig), rig.recorded]).toEqual([[], []]);
      }
    }
  });

  it('[design 14] takes what was seen in whatever order, and puts on record what it waits for', async () => {
    const wanted = settings({ a: 'wanted', mode: 'wanted' });
    const live = await liveOf(wanted, (one) => ({
      ...one,
      metadata: { ...one.metadata, uid: 'settings-uid' },
      data: { a: 'found', mode: 'found' },
    }));
    for (const seen of [
      ['data.a', 'data.mode'],
      ['data.mode', 'data.a'],
    ]) {
      const rig = await openSettings({ manifest: wanted }, live);
      await rig.commands.replaceObject(rig.session, SHOP, asked({ seen }));
      expect(done(rig)).toEqual([['delete', 'ConfigMap', 'operator']]);
      expect(rig.recorded).toMatchObject([{ data: { paths: seen, waitsFor: [] } }]);
    }
  });

  it.each<[string, Partial<Bench>, object, string, RegExp]>([
    ['another object of that name', {}, { uid: 'other' }, 'conflict', /has changed since you opened it/],
    ['other consequences than were seen', {}, { blast: [] }, 'conflict', /has changed since you opened it/],
    ['while it waits for others than were seen', {}, { waitsFor: ['ConfigMap other'] }, 'conflict', /has changed since you opened it/],
    ['other drift than was seen', {}, { seen: ['data.other'] }, 'conflict', /has changed since you opened it/],
    ['what can be put back', { rules: { refuse: () => undefined } }, {}, 'rejected', /need not be deleted/],
    ['what a policy never writes', { policy: { readOnly: true } }, {}, 'rejected', /read-only/],
    [
      'anything while the application is held',
      { repair: { when: 'waits', why: 'An annotation holds it.' } },
      {},
      'rejected',
      /An annotation holds it/,
    ],
    ['what another controller keeps', { repair: { when: 'never', why: 'Another drives.' } }, {}, 'rejected', /Another drives/],
    [
      'without the right to delete it',
      { rules: { may: ({ verb, resource }) => verb !== 'delete' || resource !== 'configmaps' } },
      {},
      'forbidden',
      /"delete" on configmaps/,
    ],
    [
      'without the right to create it',
      { rules: { may: ({ verb, resource }) => verb !== 'create' || resource !== 'configmaps' } },
      {},
      'forbidden',
      /"create" on configmaps/,
    ],
    [
      'without the right to change the application',
      { rules: { may: ({ verb }) => verb !== 'update' } },
      {},
      'forbidden',
      /may not do this/,
    ],
  ])('[design 14] refuses %s, and deletes nothing', async (_title, bench, over, code, message) => {
    const rig = await openSettings(bench);
    await expect(rig.commands.replaceObject(rig.session, SHOP, asked(over))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });

  it('[design 14] needs its rights where the object is, and puts on record what was seen to differ', async () => {
    const rig = await openSettings({ rules: { may: ({ resource, namespace }) => resource !== 'configmaps' || namespace === 'shop' } });
    await rig.commands.replaceObject(rig.session, SHOP, asked());
    expect(rig.recorded).toMatchObject([{ data: { paths: ['data.mode'] } }]);
  });

  it('[design 14] refuses what is gone by now', async () => {
    const gone = await open({ manifest: settings({ mode: 'wanted' }), live: undefined, repair: FAILING });
    await expect(gone.commands.replaceObject(gone.session, SHOP, asked())).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/no longer exists; review it again$/),
    });
    expect([done(gone), gone.recorded]).toEqual([[], []]);
  });

  it.each<[string, (rig: CommandRig, live: KubeObject) => void]>([
    ['changed', ({ cluster }, live) => change(cluster.objects, live, { ...live, metadata: { ...live.metadata, resourceVersion: '999' } })],
    [
      'created again',
      ({ cluster }, live) => change(cluster.objects, live, { ...live, metadata: { ...live.metadata, uid: 'another-uid' } }),
    ],
    ['deleted', ({ cluster }, live) => change(cluster.objects, live, undefined)],
  ])('[design 14] deletes nothing that is %s between the look and the deletion', async (_title, meanwhile) => {
    let rig: CommandRig | undefined;
    const refuse: FakeRules['refuse'] = ({ verb, object, dryRun }) => {
      // The deletion has been tried and was allowed: somebody else comes in between.
      if (verb === 'delete' && dryRun && rig !== undefined) meanwhile(rig, object);
      return verb === 'patch' ? invalid() : undefined;
    };
    rig = await openSettings({ rules: { refuse } });
    await expect(rig.commands.replaceObject(rig.session, SHOP, asked())).rejects.toMatchObject({
      code: 'conflict',
      message: 'ConfigMap settings in shop was changed in the meantime; review it again',
    });
    expect(done(rig)).toEqual([]);
  });

  it('[design 14] tells a refusal of the cluster as what it is', async () => {
    const no = new KubeApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    const rig = await openSettings({
      rules: { refuse: ({ verb }) => (verb === 'patch' ? invalid() : verb === 'delete' ? no : undefined) },
    });
    await expect(rig.commands.replaceObject(rig.session, SHOP, asked())).rejects.toMatchObject({ status: { code: 403 } });
    expect(rig.recorded).toEqual([]);
  });

  it.each<[string, KubeObject]>([
    [
      'a workload that a rollout moves',
      { ...deployment, metadata: { name: 'settings', namespace: 'shop', labels: { 'serving.knative.dev/service': 'web' } } },
    ],
  ])('[design 8] never deletes %s', async (_title, manifest) => {
    const live = await liveOf(manifest, (one) => ({
      ...one,
      metadata: { ...one.metadata, uid: 'settings-uid' },
      spec: { ...(one.spec as object), storageClassName: 'found', replicas: 9 },
    }));
    const refuse: FakeRules['refuse'] = ({ verb }) => (verb === 'patch' ? invalid() : undefined);
    const rig = await open({ manifest, live, repair: FAILING, rules: { objects: [anApplication(), aRollout(), live], refuse } });
    const { fields, replacement } = compared(
      await rig.commands.readDrift(rig.session, SHOP, { ...manifest, namespace: 'shop', name: 'settings' }),
    );
    expect(replacement?.refused).toEqual(expect.any(String));
    const { apiVersion, kind } = manifest;
    const request = {
      apiVersion,
      kind,
      ns: 'shop',
      name: 'settings',
      seen: fields.map(({ path }) => path),
      uid: 'settings-uid',
      blast: [],
      waitsFor: [],
    };
    await expect(rig.commands.replaceObject(rig.session, SHOP, request)).rejects.toMatchObject({ code: 'rejected' });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });
});

/** What somebody else does to an object of the cluster. */
function change(objects: Map<string, KubeObject>, live: KubeObject, to: KubeObject | undefined): void {
  for (const [key, one] of objects) {
    if (one !== live) continue;
    if (to === undefined) objects.delete(key);
    else objects.set(key, to);
  }
}
