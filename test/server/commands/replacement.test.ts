import { describe, expect, it } from 'vitest';
import type { DriftAnswer, DriftRepair, ObjectDrift } from '@/lib/contract/drift-rows';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import type { CommandRig } from './rig';
import { anApplication, CANARY, createCommandRig, SHOP } from './rig';

const BLAST = ['held until somebody lets go'];
const FAILING: DriftRepair = { when: 'waits', why: 'The last try failed.', failing: true };
const FIXED = { field: 'spec', message: 'Forbidden: spec is immutable', reason: 'FieldValueForbidden' };

const anObject = (apiVersion: string, kind: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'shop', uid: 'web-uid', resourceVersion: '3', labels: { tier: 'found' } },
  spec,
});

/** An object with another label than is wanted, of which the cluster lets nobody change anything. */
async function open(live: KubeObject, cause: object = FIXED): Promise<CommandRig> {
  const invalid = new KubeApiError({ code: 422, reason: 'Invalid', message: 'it is invalid', details: { causes: [cause] } });
  const rig = await createCommandRig({ objects: [anApplication(), live], refuse: ({ verb }) => (verb === 'patch' ? invalid : undefined) });
  const { uid: _uid, resourceVersion: _version, ...metadata } = live.metadata;
  const manifest = { ...live, metadata: { ...metadata, labels: { tier: 'wanted' } } };
  rig.wanted = () => ({
    revision: 'web-v1',
    isApplied: true,
    manifest,
    tracker: { name: 'web-v1-shop', uid: 'tracker-uid' },
    policy: {},
    repair: FAILING,
  });
  rig.blast = BLAST;
  return rig;
}

function compared(drift: DriftAnswer): ObjectDrift {
  if (drift.state !== 'compared') throw new Error(`a comparison was wanted, found: ${drift.why}`);
  return drift;
}

describe('what a replacement tells before the click', () => {
  it.each<[string, KubeObject, string[]]>([
    [
      'a claim: its data',
      anObject('v1', 'PersistentVolumeClaim', {}),
      ['the new PersistentVolumeClaim starts empty: no data is copied to it'],
    ],
    ['a Service: its address', anObject('v1', 'Service', { clusterIP: '10.0.0.1' }), ['its address 10.0.0.1 is released']],
    ['a Service that has none yet: nothing', anObject('v1', 'Service', {}), []],
    ['a Service without one: nothing', anObject('v1', 'Service', { clusterIP: 'None' }), []],
    ['a Job: its run', anObject('batch/v1', 'Job', { template: {} }), ['the new Job runs from the start']],
    ['another kind: nothing', anObject('apps/v1', 'StatefulSet', {}), []],
  ])('[issue 9.4] is what is not carried over, and that is on record, of %s', async (_title, live, told) => {
    const rig = await open(live);
    const { fields, replacement } = compared(await rig.commands.readDrift(rig.session, SHOP, toAddress(live)));
    const blast = [...BLAST, ...told];
    expect(replacement).toMatchObject({ blast, refused: null });
    const { apiVersion, kind } = live;
    const request = {
      apiVersion,
      kind,
      ns: 'shop',
      name: 'web',
      seen: fields.map(({ path }) => path),
      uid: 'web-uid',
      blast,
      waitsFor: [],
    };
    await rig.commands.replaceObject(rig.session, SHOP, request);
    const done = rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ verb, object, person }) => [verb, object.kind, person?.user]);
    expect(done).toEqual([['delete', kind, 'operator']]);
    expect(rig.recorded).toMatchObject([{ action: 'drift.replace', data: { blast } }]);
  });

  it.each(['Namespace', 'CustomResourceDefinition'])('[issue 9.4] is that it is not done here, of a %s, and it is not', async (kind) => {
    const placed = anObject(kind === 'CustomResourceDefinition' ? 'apiextensions.k8s.io/v1' : 'v1', kind, {});
    const { namespace: _everywhere, ...metadata } = placed.metadata;
    const live = { ...placed, metadata };
    const rig = await open(live);
    const { fields, replacement } = compared(await rig.commands.readDrift(rig.session, SHOP, toAddress(live)));
    const refused = `A ${kind} holds data or other objects: delete it by hand, and it is created again.`;
    expect(replacement).toMatchObject({ refused });
    const { apiVersion } = live;
    const seen = { seen: fields.map(({ path }) => path), uid: 'web-uid', blast: replacement?.blast ?? [], waitsFor: [] };
    await expect(rig.commands.replaceObject(rig.session, SHOP, { apiVersion, kind, name: 'web', ...seen })).rejects.toThrow(refused);
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
  });

  it('[issue 9.4] is nothing of a PersistentVolume, which no dispatch changes once it is there', async () => {
    const { metadata, ...volume } = anObject('v1', 'PersistentVolume', {});
    const { namespace: _everywhere, ...unplaced } = metadata;
    const live = { ...volume, metadata: unplaced };
    const rig = await open(live);
    const { fields, replacement } = compared(await rig.commands.readDrift(rig.session, SHOP, toAddress(live)));
    expect(replacement).toBeNull();
    const request = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      name: 'web',
      seen: fields.map(({ path }) => path),
      uid: 'web-uid',
      blast: [],
      waitsFor: [],
    };
    await expect(rig.commands.replaceObject(rig.session, SHOP, request)).rejects.toThrow();
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toEqual([]);
  });

  it('[issue 9.4] is offered where the cluster would take the object anew, which is tried without effect, and not where it takes it in no way', async () => {
    const live = { ...anObject('apps/v1', 'StatefulSet', {}) };
    const wrong = { field: 'spec.serviceName', message: 'is wrong', reason: 'FieldValueInvalid' };
    const rig = await open({ ...live, metadata: { ...live.metadata, name: `web-${'x'.repeat(60)}` } }, wrong);
    const at = { ...toAddress(live), name: `web-${'x'.repeat(60)}` };
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, at)).replacement).toMatchObject({ why: 'spec.serviceName: is wrong' });
    const tried = rig.cluster.writes.filter(({ verb }) => verb === 'create');
    expect(tried.map(({ dryRun, object: { metadata } }) => [dryRun, metadata.name, metadata.generateName, metadata.namespace])).toEqual([
      [true, undefined, `web-${'x'.repeat(36)}-`, 'shop'],
    ]);
    for (const [code, refused] of [
      [422, ['patch', 'create']],
      [403, ['patch']],
    ] as const) {
      const failure = new KubeApiError({
        code,
        reason: code === 403 ? 'Forbidden' : 'Invalid',
        message: 'it is refused',
        details: { causes: [wrong] },
      });
      const other = await createCommandRig({
        objects: [anApplication(), live],
        refuse: ({ verb }) => (refused.some((one) => one === verb) ? failure : undefined),
      });
      other.wanted = (await open(live, wrong)).wanted;
      expect(compared(await other.commands.readDrift(other.session, SHOP, toAddress(live))).replacement).toBeNull();
    }
  });

  it.each([
    'field may not change',
    'field may not be changed',
    'field cannot change once set',
    'updates to statefulset spec for fields other than these are forbidden',
    'updates to a spec forbidden',
  ])('[issue 9.4] is told by how the cluster says that a field is set once: %s', async (message) => {
    const live = anObject('apps/v1', 'StatefulSet', {});
    const rig = await open(live, { ...FIXED, message });
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, toAddress(live))).replacement).toMatchObject({
      why: `spec: ${message}`,
    });
    expect(rig.cluster.writes.filter(({ verb }) => verb === 'create')).toEqual([]);
  });

  it('[design 8] is the reason of the cluster in one line, without the differences that it adds', async () => {
    const live = anObject('v1', 'PersistentVolumeClaim', {});
    const message = `Forbidden: spec is immutable after creation\n  core.Spec{\n-   Env: "${CANARY}",\n  }`;
    const rig = await open(live, { ...FIXED, message });
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, toAddress(live))).replacement?.why).toBe(
      'spec: Forbidden: spec is immutable after creation',
    );
  });
});
