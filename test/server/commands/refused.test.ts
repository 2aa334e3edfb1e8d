import { describe, expect, it } from 'vitest';
import type { DriftAnswer, ObjectDrift } from '@/lib/contract/drift-rows';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { DesiredObject } from '@/server/dispatch';
import { KubeApiError } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import type { CommandRig } from './rig';
import { anApplication, createCommandRig, SHOP } from './rig';

const failed = (over: object = {}) => ({
  conditions: [{ type: 'Applied', status: 'False', reason: 'DispatchFailed', message: 'nothing was applied', ...over }],
});
const OURS = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
const settings = (name: string, mode: string, labels: Record<string, string> = OURS): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: `${name}-uid`, resourceVersion: '3', labels },
  data: { mode },
});
const cause = { field: 'data', message: 'Forbidden: field is immutable when `immutable` is set', reason: 'FieldValueForbidden' };
const invalid = new KubeApiError({ code: 422, reason: 'Invalid', message: 'ConfigMap is invalid', details: { causes: [cause] } });
const WHY = 'data: Forbidden: field is immutable when `immutable` is set';

/** An application whose newest revision changes two ConfigMaps that the cluster lets nobody change. */
async function open(
  status: object = failed(),
  may: FakeRules['may'] = () => true,
  labels: Record<string, string> = OURS,
  more: object = {},
): Promise<CommandRig> {
  const objects = ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { mode: 'wanted' } }));
  const application = { ...anApplication(), spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] }, status };
  const first = settings('a', 'found', labels);
  const live = [{ ...first, metadata: { ...first.metadata, ...more } }, settings('b', 'found')];
  const rig = await createCommandRig({
    objects: [application, ...live],
    may,
    refuse: ({ verb, object }) => (verb === 'patch' && object.kind === 'ConfigMap' ? invalid : undefined),
  });
  const wanted = (name: string): DesiredObject => ({
    revision: 'web-v2',
    isApplied: false,
    manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' }, data: { mode: 'wanted' } },
    tracker: { name: 'web-v2-shop', uid: 'tracker-uid' },
    policy: {},
    repair: { when: 'waits', why: 'The last try failed.', failing: true },
  });
  rig.wanted = ({ name }) => wanted(name);
  return rig;
}

function compared(drift: DriftAnswer): ObjectDrift {
  if (drift.state !== 'compared') throw new Error(`a comparison was wanted, found: ${drift.why}`);
  return drift;
}

const A = toAddress(settings('a', ''));
const request = ({ fields, replacement }: ObjectDrift) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ns: 'shop',
  name: 'a',
  seen: fields.map(({ path }) => path),
  uid: replacement?.uid ?? '',
  blast: replacement?.blast ?? [],
  waitsFor: replacement?.waitsFor ?? [],
});
const done = (rig: CommandRig) =>
  rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ verb, object }) => `${verb} ${object.kind}/${object.metadata.name}`);

describe('a revision that the cluster refuses', () => {
  it('[issue 9.4] tells each object that is refused, and why in the cluster’s words, having written nothing', async () => {
    const rig = await open();
    const { objects, more } = await rig.commands.readRefused(rig.session, SHOP);
    expect(objects.map(({ kind, name, state, why }) => [kind, name, state, why])).toEqual([
      ['ConfigMap', 'a', 'refused', WHY],
      ['ConfigMap', 'b', 'refused', WHY],
    ]);
    expect([more, done(rig)]).toEqual([0, []]);
  });

  it.each([
    ['that is applied', { conditions: [] }],
    ['that waits for a person', failed({ reason: 'PlanMoved' })],
  ])('[issue 9.4] tries nothing of one %s', async (_title, status) => {
    const rig = await open(status);
    expect(await rig.commands.readRefused(rig.session, SHOP)).toEqual({ revision: null, objects: [], more: 0 });
    expect(rig.cluster.writes).toEqual([]);
  });

  it('[design 8] counts what whoever asks may not see, and names none of it', async () => {
    const rig = await open(failed(), ({ resource, name }) => resource !== 'configmaps' || name === 'a');
    const { objects, more } = await rig.commands.readRefused(rig.session, SHOP);
    expect([objects.map(({ name }) => name), more]).toEqual([['a'], 1]);
    expect(compared(await rig.commands.readDrift(rig.session, SHOP, A)).replacement?.waitsFor).toEqual([
      'a ConfigMap that you may not see',
    ]);
  });

  it('[issue 9.4] offers to replace an object, says that it stays away until the others are mended too, and does exactly that', async () => {
    const rig = await open();
    const drift = compared(await rig.commands.readDrift(rig.session, SHOP, A));
    expect(drift.replacement).toEqual({ why: WHY, uid: 'a-uid', blast: [], waitsFor: ['ConfigMap b'], refused: null });
    await rig.commands.replaceObject(rig.session, SHOP, request(drift));
    expect(done(rig)).toEqual(['delete ConfigMap/a']);
    expect(rig.recorded).toMatchObject([{ actor: 'operator', action: 'drift.replace', data: { uid: 'a-uid', waitsFor: ['ConfigMap b'] } }]);
  });

  it('[issue 9.4] of what differs it tells what the revision changes, without the marks that each revision writes again', async () => {
    const rig = await open(failed(), () => true, {
      ...OURS,
      'app.oam.dev/appRevision': 'web-v1',
      'app.oam.dev/app-revision-hash': 'first',
    });
    const drift = compared(await rig.commands.readDrift(rig.session, SHOP, A));
    expect(drift.fields.map(({ path }) => path)).toEqual(['data.mode']);
  });

  it('[issue 9.4] of one that is being deleted it tells until when, and offers nothing more', async () => {
    const rig = await open(failed(), () => true, OURS, {
      deletionTimestamp: '2026-01-01T08:00:00Z',
      finalizers: ['kubernetes.io/pvc-protection'],
    });
    const { objects } = await rig.commands.readRefused(rig.session, SHOP);
    const until = 'it is being deleted, held until no Pod uses it (kubernetes.io/pvc-protection)';
    expect(objects.map(({ name, state, why }) => [name, state, why])).toEqual([
      ['a', 'terminating', until],
      ['b', 'refused', WHY],
    ]);
    expect(await rig.commands.readDrift(rig.session, SHOP, A)).toMatchObject({ terminating: until, replacement: null });
    expect(await rig.commands.readDrift(rig.session, SHOP, toAddress(settings('b', '')))).toMatchObject({ terminating: null });
  });

  it('[issue 9.4] deletes nothing once another object is refused than was seen', async () => {
    const rig = await open();
    const seen = { ...request(compared(await rig.commands.readDrift(rig.session, SHOP, A))), waitsFor: [] };
    await expect(rig.commands.replaceObject(rig.session, SHOP, seen)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/has changed since you opened it/),
    });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });

  it('[issue 9.4] never offers to delete what is not the application’s own', async () => {
    const rig = await open(failed(), () => true, { 'app.oam.dev/name': 'other', 'app.oam.dev/namespace': 'shop' });
    const drift = compared(await rig.commands.readDrift(rig.session, SHOP, A));
    expect(drift.replacement).toBeNull();
    const asked = { ...request(drift), uid: 'a-uid', waitsFor: ['ConfigMap b'] };
    await expect(rig.commands.replaceObject(rig.session, SHOP, asked)).rejects.toMatchObject({ code: 'rejected' });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });

  it('[issue 9.4] is not put back: what differs is what it needs to change', async () => {
    const rig = await open();
    const { seen } = request(compared(await rig.commands.readDrift(rig.session, SHOP, A)));
    await expect(
      rig.commands.revertObject(rig.session, SHOP, { apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'a', seen }),
    ).rejects.toMatchObject({
      code: 'rejected',
    });
    expect(done(rig)).toEqual([]);
  });
});
