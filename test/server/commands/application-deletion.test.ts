import { describe, expect, it } from 'vitest';
import type { DeletionAccepted, DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { OwnRights } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { AskedRight } from '../auth/fake-cluster';
import type { CommandRig, CommandRules } from './rig';
import { anApplication, aRevision, aRollout, createCommandRig, SHOP } from './rig';

const LABELS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const END = { place: SHOP, uid: 'app-uid', objects: 'delete' } as const;

const entry = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'shop',
  name,
  uid: `${name}-uid`,
  ...more,
});
const trackerOf = (entries: readonly object[], annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  ...KINDS.resourceTracker,
  metadata: { name: 'web-v1-shop', labels: LABELS, annotations },
  spec: { type: 'versioned', managedResources: entries },
});
const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name, uid: `${name}-uid`, labels: LABELS },
});
/** The application under a rollout policy that wants so many approvals, by people of so many groups. */
const underPolicy = (approvals: object): KubeObject => {
  const { spec, ...rest } = anApplication();
  return {
    ...rest,
    spec: {
      ...(spec as object),
      policies: [{ name: 'staged', type: 'rollout', properties: { component: 'front', control: { approvals } } }],
    },
  };
};

/** The application under a rule that says what becomes of what its ConfigMaps own. */
const withRule = (propagation: 'orphan' | 'cascading'): KubeObject => {
  const { spec, ...rest } = anApplication();
  const rules = [{ selector: { resourceTypes: ['ConfigMap'] }, strategy: 'onAppUpdate', propagation }];
  return { ...rest, spec: { ...(spec as object), policies: [{ name: 'rules', type: 'garbage-collect', properties: { rules } }] } };
};

/** An application that has some ConfigMaps on record, all of which are there. */
const open = (names: readonly string[], rules: CommandRules = {}, application: KubeObject = anApplication()) =>
  createCommandRig({
    ...rules,
    objects: [
      application,
      aRevision('web-v1', 'web:1'),
      trackerOf(names.map((name) => entry(name))),
      ...names.map(configMap),
      ...(rules.objects ?? []),
    ],
  });
const preview = async ({ commands, session }: CommandRig, objects: 'delete' | 'keep' = 'delete') =>
  (await commands.deleteApplication(session, { ...END, objects, dryRun: true })) as DeletionPreview;
const finish = async (rig: CommandRig, objects: 'delete' | 'keep' = 'delete') => {
  const { plan } = await preview(rig, objects);
  return (await rig.commands.deleteApplication(rig.session, { ...END, objects, plan, reason: 'moved away' })) as DeletionAccepted;
};
const mayNot =
  (verb: string, resource: string) =>
  (right: AskedRight): boolean =>
    right.verb !== verb || right.resource !== resource;

describe('what is told of the end of an application', () => {
  it('[issue 14.1] is each object with its uid, and what goes with it where it is lost', async () => {
    const rig = await open(['a', 'b'], { objects: [] });
    rig.blast = ['PodDisruptionBudget budget of {place} matches nothing any more'];
    const blast = ['PodDisruptionBudget budget of shop/web matches nothing any more'];
    expect(await preview(rig)).toMatchObject({
      counts: { deleted: 2 },
      kinds: [{ kind: 'ConfigMap', count: 2 }],
      changes: [
        { name: 'a', ns: 'shop', uid: 'a-uid', verdict: 'deleted', blast },
        { name: 'b', ns: 'shop', uid: 'b-uid', verdict: 'deleted', blast },
      ],
    });
    const kept = await preview(rig, 'keep');
    expect(kept.changes.map(({ verdict, blast }) => [verdict, blast])).toEqual([
      ['kept', []],
      ['kept', []],
    ]);
  });

  it('[issue 14.1] is what goes with each by this plan: among all that goes, and by the rule that says what becomes of what it owns', async () => {
    const rig = await open(['a', 'b'], {}, withRule('orphan'));
    rig.blast = ['{how}'];
    expect((await preview(rig)).changes.map(({ blast }) => blast)).toEqual([['Orphan among 2'], ['Orphan among 2']]);
  });

  it('[issue 14.1] is nothing of what goes with an object that is gone already', async () => {
    const rig = await createCommandRig({
      objects: [anApplication(), trackerOf([entry('a'), entry('gone', { uid: undefined })]), configMap('a')],
    });
    rig.blast = ['it is mounted'];
    const { changes } = await preview(rig);
    expect(changes.map(({ name, verdict, blast }) => [name, verdict, blast])).toEqual([
      ['a', 'deleted', ['it is mounted']],
      ['gone', 'gone', []],
    ]);
  });

  it('[issue 10.4] looks for what goes with three hundred objects at most, however many are lost', async () => {
    const names = Array.from({ length: 302 }, (_, at) => `map-${String(at).padStart(3, '0')}`);
    const rig = await open(names);
    rig.blast = ['it is mounted'];
    const { changes } = await preview(rig);
    expect([changes.length, changes.filter(({ blast }) => blast.length > 0).length]).toEqual([302, 300]);
  });

  it('[issue 14.1] is what else goes: stored revisions, the rollout, and that nothing brings it back', async () => {
    const none = await preview(await createCommandRig({ objects: [anApplication()] }));
    expect(none.consequences).toEqual(['This cannot be undone. Its history stays under Activity.']);
    const owned = aRollout({ ownerReferences: [{ ...KINDS.application, name: 'web', uid: 'app-uid', controller: true }] });
    const one = await preview(await open(['a'], { objects: [owned] }));
    expect(one.consequences).toEqual([
      expect.stringMatching(/^RolloutOrchestrator web is deleted with it/),
      '1 stored revision is deleted with it: no rollback is possible.',
      'This cannot be undone. Its history stays under Activity.',
    ]);
    const kept = await preview(await open(['a'], { objects: [aRevision('web-v2', 'web:2')] }), 'keep');
    expect(kept.consequences).toEqual([
      expect.stringContaining('Its objects stay as they are'),
      '2 stored revisions are deleted with it: no rollback is possible.',
      'This cannot be undone. Its history stays under Activity.',
    ]);
  });

  it('[design 8] is refused to who may not delete what goes, and not where everything stays or nothing is there', async () => {
    const lacking = { may: mayNot('delete', 'configmaps') };
    const rig = await open(['a'], lacking);
    expect((await preview(rig)).refused).toContain('operator may not delete ConfigMap a in shop, which Application web in shop would have');
    await expect(finish(rig)).rejects.toMatchObject({ code: 'forbidden' });
    expect(rig.cluster.writes).toEqual([]);
    expect((await preview(await open(['a'], lacking), 'keep')).refused).toBeNull();
    expect((await preview(await open([], lacking))).refused).toBeNull();
    expect((await preview(await open(['a']))).refused).toBeNull();
  });

  it('[design 8] wants no right to delete what is gone already', async () => {
    const gone = trackerOf([entry('gone', { uid: undefined })]);
    const rig = await createCommandRig({ objects: [anApplication(), gone], may: mayNot('delete', 'configmaps') });
    expect(await preview(rig)).toMatchObject({ refused: null, changes: [{ name: 'gone', verdict: 'gone' }] });
  });

  it('[issue 14.1] is on record with its uid, the plan that was shown, and exactly what goes by it', async () => {
    const objects = [
      anApplication(),
      trackerOf([entry('a'), entry('gone', { uid: undefined }), entry('b')]),
      configMap('a'),
      configMap('b'),
    ];
    for (const fate of ['delete', 'keep'] as const) {
      const rig = await createCommandRig({ objects });
      const { plan } = await preview(rig, fate);
      await finish(rig, fate);
      const [{ data, message } = {}] = rig.recorded;
      const going = fate === 'keep' ? [] : ['ConfigMap/shop/a', 'ConfigMap/shop/b'];
      expect(data).toEqual({ uid: 'app-uid', objects: fate, plan, deleted: going });
      expect(message).toBe(`deletes the application ${fate === 'keep' ? 'and keeps its objects' : 'with its objects'}: moved away`);
    }
  });

  it('[design 13 K] deletes no other application that took its name in the very moment', async () => {
    const another = { ...anApplication(), metadata: { ...anApplication().metadata, uid: 'later-uid', resourceVersion: 'later' } };
    const refuse: CommandRules['refuse'] = ({ verb, object, dryRun }) => {
      if (verb !== 'update' || object.kind !== 'Application' || dryRun === true) return undefined;
      const [key = ''] = [...rig.cluster.objects].find(([, held]) => held.kind === 'Application') ?? [];
      queueMicrotask(() => rig.cluster.objects.set(key, another)); // once this update is stored
      return undefined;
    };
    const rig = await open(['a'], { refuse });
    await expect(finish(rig)).rejects.toMatchObject({
      code: 'conflict',
      message: 'application web was changed in the meantime; review it again',
      cause: expect.any(KubeApiError),
    });
    expect([...rig.cluster.objects.values()]).toContain(another);
  });

  it.each<readonly [string, (held: KubeObject['metadata']) => object, boolean]>([
    ['has it end otherwise', ({ finalizers = [] }) => ({ finalizers: finalizers.filter((one) => !one.includes('orphan')) }), false],
    ['takes away what was seen', () => ({ annotations: {} }), false],
    ['changes its spec', () => ({ generation: 9 }), false],
    ['writes its status', () => ({}), true],
  ])('[issue 14.1] goes as it was shown, or not at all, where somebody %s in the very moment', async (_what, more, goes) => {
    const refuse: CommandRules['refuse'] = ({ verb, object, dryRun }) => {
      if (verb !== 'update' || object.kind !== 'Application' || dryRun === true || isRead) return undefined;
      queueMicrotask(() => {
        const [key = '', held = object] = [...rig.cluster.objects].find(([, one]) => one.kind === 'Application') ?? [];
        rig.cluster.objects.set(key, { ...held, metadata: { ...held.metadata, resourceVersion: 'between', ...more(held.metadata) } });
      }); // once this update is stored
      isRead = true;
      return undefined;
    };
    let isRead = false;
    const rig = await open(['a'], { refuse });
    const deletion = finish(rig, 'keep');
    if (goes) await expect(deletion).resolves.toMatchObject({ waits: null });
    else
      await expect(deletion).rejects.toMatchObject({
        code: 'conflict',
        message: 'application web was changed in the meantime; review it again',
      });
    const left = [...rig.cluster.objects.values()].find(({ kind }) => kind === 'Application');
    expect(left === undefined).toBe(goes);
    // Whoever deletes what is left finds it as it was: what was noted for this deletion is no wish of theirs.
    expect(left?.metadata.finalizers ?? []).not.toContain('app.oam.dev/orphan-resource');
    expect(left?.metadata.annotations ?? {}).not.toHaveProperty(['slipway.dev/end-plan']);
  });

  it('[issue 14.1] is refused where a rule says otherwise by now of what its objects own', async () => {
    const rig = await open(['a'], {}, withRule('orphan'));
    const { plan } = await preview(rig);
    const [key = ''] = [...rig.cluster.objects].find(([, held]) => held.kind === 'Application') ?? [];
    rig.cluster.objects.set(key, withRule('cascading'));
    await expect(rig.commands.deleteApplication(rig.session, { ...END, plan })).rejects.toMatchObject({ code: 'conflict' });
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
    rig.cluster.objects.set(key, withRule('orphan'));
    await expect(rig.commands.deleteApplication(rig.session, { ...END, plan })).resolves.toMatchObject({ waits: null });
  });

  it('[issue 10.3] is refused before anything is tried while nothing can be put on record', async () => {
    const rig = await open(['a']);
    rig.unrecorded = new Error('the store is down');
    await expect(finish(rig)).rejects.toThrow('the store is down');
    expect(rig.cluster.writes).toEqual([]);
  });

  it('[design 14] is refused where its record cannot be relied on', async () => {
    const edited = trackerOf([entry('a')], { 'slipway.dev/record-digest': 'sha256:0' });
    const rig = await createCommandRig({ objects: [anApplication(), aRevision('web-v1', 'web:1'), edited, configMap('a')] });
    expect((await preview(rig)).refused).toContain('web-v1-shop');
    await expect(finish(rig)).rejects.toMatchObject({ code: 'forbidden' });
    expect(rig.cluster.writes).toEqual([]);
  });

  it('[issue 10.1] is what the server may not delete there yet, and the command that grants it', async () => {
    const ownRights: OwnRights = { lacks: async (rights) => rights } as OwnRights;
    expect((await preview(await open(['a'], { ownRights }))).ungranted).toContain('slipway grant shop');
    expect(await preview(await open(['a']))).not.toHaveProperty('ungranted');
  });
});

describe('the end of an application that a safety rule holds', () => {
  it('[issue 14.1] is approved along with it by who may, for exactly the plan that was shown', async () => {
    const rig = await open(NAMES);
    const shown = await preview(rig);
    expect(shown).toMatchObject({ approves: true, waits: expect.stringContaining('6 of 6 objects') });
    expect(shown.waits).not.toContain('it requires');
    expect(await finish(rig)).toMatchObject({ waits: null });
    const decision = rig.cluster.writes.at(-1);
    expect(decision).toMatchObject({
      verb: 'create',
      person: { user: 'operator' },
      object: {
        kind: 'StageDecision',
        spec: {
          applicationRef: { name: 'web', uid: 'app-uid' },
          verb: 'approve',
          seen: { garbage: shown.plan },
          garbage: { objects: [], count: 6 },
          reason: 'moved away',
          actor: { user: 'operator' },
        },
      },
    });
  });

  it('[issue 14.1] approves as many as go, and not what is gone already', async () => {
    const rig = await createCommandRig({
      objects: [
        anApplication(),
        trackerOf([...NAMES.map((name) => entry(name)), entry('gone', { uid: undefined })]),
        ...NAMES.map(configMap),
      ],
    });
    expect(await finish(rig)).toMatchObject({ waits: null });
    expect(rig.cluster.writes.at(-1)?.object.spec).toMatchObject({ garbage: { objects: [], count: 6 } });
  });

  it('[design 14] waits for no approval where few go, or all stay', async () => {
    expect(await preview(await open(['a', 'b']))).toMatchObject({ waits: null, approves: false });
    const rig = await open(NAMES);
    expect(await preview(rig, 'keep')).toMatchObject({ waits: null, approves: false });
    expect(await finish(rig, 'keep')).toMatchObject({ waits: null });
    expect(rig.cluster.writes.some(({ object }) => object.kind === 'StageDecision')).toBe(false);
  });

  it.each<[string, CommandRules, KubeObject, string | null]>([
    ['has not the right to approve', { may: mayNot('approve', 'applications') }, anApplication(), null],
    ['may create no decisions', { may: mayNot('create', 'stagedecisions') }, anApplication(), null],
    ['is in none of the groups that the policy wants', {}, underPolicy({ groups: ['sre'] }), null],
    ['could not be told from others, since admission policies differ', {}, anApplication(), 'the admission policies differ'],
  ])('[issue 10.2] waits for others where whoever deletes %s', async (_why, rules, application, blocked) => {
    const rig = await open(NAMES, rules, application);
    rig.decisionsBlockedReason = blocked;
    expect(await preview(rig)).toMatchObject({ approves: false, waits: expect.stringContaining('6 of 6 objects') });
    expect((await finish(rig)).waits).toContain('6 of 6 objects');
    expect(rig.cluster.writes.some(({ object }) => object.kind === 'StageDecision')).toBe(false);
  });

  it('[issue 10.2] waits for a second person where the policy wants two, and says so', async () => {
    const rig = await open(NAMES, {}, underPolicy({ required: 2 }));
    expect(await preview(rig)).toMatchObject({
      approves: true,
      waits: expect.stringMatching(/6 of 6 objects.*; it requires 2 approvals \(0 of 2\)$/),
    });
    expect((await finish(rig)).waits).toContain('it requires 2 approvals');
    expect(rig.cluster.writes.filter(({ object }) => object.kind === 'StageDecision')).toHaveLength(1);
  });

  it('[design 14] waits where its approval could not be written after all', async () => {
    const refuse = ({ verb, object }: { readonly verb: string; readonly object: KubeObject }) =>
      verb === 'create' && object.kind === 'StageDecision'
        ? new KubeApiError({ code: 403, reason: 'Forbidden', message: 'a policy forbids it' })
        : undefined;
    expect((await finish(await open(NAMES, { refuse }))).waits).toContain('6 of 6 objects');
  });

  it('[design 14] cannot be approved while the state of something is not known', async () => {
    const far = trackerOf([entry('a', { cluster: 'east' })]);
    const rig = await createCommandRig({ objects: [underPolicy({ required: 2 }), aRevision('web-v1', 'web:1'), far] });
    const shown = await preview(rig);
    expect(shown).toMatchObject({ approves: false, waits: expect.stringContaining('is unknown') });
    expect(shown.waits).not.toContain('it requires');
  });
});
