import { describe, expect, it } from 'vitest';
import type { DriftAnswer, DriftRepair, ObjectDrift } from '@/lib/contract/drift-rows';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ManifestPolicy, WantedObject } from '@/server/dispatch';
import { apply } from '@/server/dispatch';
import { KubeApiError } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';
import type { FakeRules } from '../auth/fake-cluster';
import type { CommandRig } from './rig';
import { anApplication, aRollout, CANARY, createCommandRig, SHOP } from './rig';

const TRACKER = { name: 'web-v1-shop', uid: 'tracker-uid' };
const NOT_LISTED = 'web-v1 does not include Deployment other in shop';
const SOON: DriftRepair = { when: 'soon', why: 'The engine puts it back.' };
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels: { tier: 'front' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'web:1', args: ['--a', '--b'] },
          { name: 'log', image: 'log:1' },
        ],
      },
    },
  },
};
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key', namespace: 'shop' },
  stringData: { key: CANARY, other: `${CANARY}-other` },
};
const AT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const KEY = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' };

/** The manifest as the dispatch applied it, then changed by somebody. */
async function liveOf(manifest: KubeObject, edit: (live: KubeObject) => KubeObject): Promise<KubeObject> {
  const owner = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker', ...TRACKER, controller: true, blockOwnerDeletion: true };
  const server = new FakeApiServer();
  const { object } = await apply(server, { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } }, { secretKey: 'a key' });
  return edit(structuredClone(object));
}

const setBy = (fieldsV1: object) => [{ manager: 'kubectl-edit', operation: 'Update', time: '2026-01-01T08:00:00Z', fieldsType: 'FieldsV1', fieldsV1 }];

interface Bench {
  readonly manifest: KubeObject;
  readonly live: KubeObject | undefined;
  readonly policy?: ManifestPolicy;
  readonly repair?: DriftRepair;
  readonly rules?: FakeRules;
}

async function open({ manifest, live, policy = {}, repair = SOON, rules = {} }: Bench): Promise<CommandRig> {
  const rig = await createCommandRig({ objects: [anApplication({ annotations: { 'slipway.dev/requested-by': 'alice' } }), ...(live ? [live] : [])], ...rules });
  const wanted: WantedObject = { revision: 'web-v1', isApplied: true, manifest, tracker: TRACKER, policy, repair };
  rig.wanted = ({ name }) => (name === manifest.metadata.name ? wanted : { uncompared: NOT_LISTED });
  return rig;
}

function compared(drift: DriftAnswer): ObjectDrift {
  if (drift.state !== 'compared') throw new Error(`a comparison was wanted, found: ${drift.why}`);
  return drift;
}

const edited = () =>
  liveOf(deployment, (live) => ({
    ...live,
    metadata: { ...live.metadata, managedFields: setBy({ 'f:spec': { 'f:replicas': {} } }) },
    spec: { replicas: 5, template: { spec: { containers: [{ name: 'web', image: 'web:1', args: ['--a'] }] } } },
  }));
const PATHS = ['spec.replicas', 'spec.template.spec.containers[name=web].args[1]', 'spec.template.spec.containers[name=log]'];
const request = (seen: readonly string[]) => ({ apiVersion: 'apps/v1', kind: 'Deployment', ns: 'shop', name: 'web', seen: [...seen] });

describe('an object beside what is wanted of it', () => {
  it('[dispatch 13] tells each field with who set it and since when, and at which line it stands', async () => {
    const { commands, session } = await open({ manifest: deployment, live: await edited() });
    const drift = compared(await commands.readDrift(session, SHOP, AT));
    expect(drift).toMatchObject({ revision: 'web-v1', exists: true, notesManagers: true, repair: SOON });
    expect(drift.fields.map(({ path }) => path).sort()).toEqual([...PATHS].sort());
    const [replicas] = drift.fields;
    expect(replicas).toMatchObject({
      path: 'spec.replicas',
      kind: 'changed',
      wanted: '2',
      found: '5',
      setBy: { manager: 'kubectl-edit', operation: 'Update', subresource: null, since: '2026-01-01T08:00:00Z' },
    });
    const wantedLines = drift.wanted.split('\n');
    const foundLines = drift.found?.split('\n') ?? [];
    expect(wantedLines[(replicas?.wantedLine ?? 0) - 1]?.trim()).toBe('replicas: 2');
    expect(foundLines[(replicas?.foundLine ?? 0) - 1]?.trim()).toBe('replicas: 5');
    const gone = drift.fields.find(({ path }) => path.endsWith('[name=log]'));
    expect(gone).toMatchObject({ kind: 'removed', setBy: null, foundLine: null });
    expect(wantedLines[(gone?.wantedLine ?? 0) - 1]?.trim()).toBe('- name: log');
    expect(drift.found).not.toContain('log:1');
  });

  it('[design 8] of a Secret it shows keys, and that a value is another one', async () => {
    const found = Buffer.from('found-value').toString('base64');
    const live = await liveOf(secret, (held) => ({ ...held, data: { ...(held.data as object), key: found, more: found } }));
    const rig = await open({ manifest: secret, live });
    const drift = compared(await rig.commands.readDrift(rig.session, SHOP, KEY));
    expect(drift.fields).toMatchObject([
      { path: 'data.more', kind: 'added', hidden: 'secret', wanted: null, found: null },
      { path: 'data.key', kind: 'changed', hidden: 'secret', wanted: null, found: null },
    ]);
    expect(drift.wanted).toContain('key: ••••••••\n');
    expect(drift.found).toMatch(/key: •+ \(another value\)\n {2}other: •+\n/);
    const text = JSON.stringify(drift);
    for (const leak of [CANARY, found, 'found-value', Buffer.from(CANARY).toString('base64')]) expect(text).not.toContain(leak);
  });

  it('[dispatch 13] an object that is gone has no text beside what is wanted', async () => {
    const { commands, session } = await open({ manifest: deployment, live: undefined });
    expect(await commands.readDrift(session, SHOP, AT)).toMatchObject({ exists: false, fields: [], found: null, notesManagers: false });
  });

  it('[dispatch 13] says that nobody is noted, where the server keeps no book', async () => {
    const live = await liveOf(deployment, (held) => ({ ...held, spec: { ...(held.spec as object), replicas: 5 } }));
    const { commands, session } = await open({ manifest: deployment, live });
    expect(await commands.readDrift(session, SHOP, AT)).toMatchObject({ notesManagers: false, fields: [{ path: 'spec.replicas', setBy: null }] });
  });

  it.each(['applications', 'deployments'])('[design 8] is refused without the right to get %s', async (missing) => {
    const { commands, session } = await open({ manifest: deployment, live: await edited(), rules: { may: ({ resource }) => resource !== missing } });
    await expect(commands.readDrift(session, SHOP, AT)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('[issue 9.4] a row may be older than what is wanted: read, it says so, and is no error; put back or replaced, it is refused', async () => {
    const { commands, session, recorded } = await open({ manifest: deployment, live: await edited() });
    const other = { ...AT, name: 'other' };
    expect(await commands.readDrift(session, SHOP, other)).toEqual({ state: 'uncompared', at: expect.any(String), why: NOT_LISTED });
    const refused = { code: 'not-found', message: `Deployment other in shop cannot be compared: ${NOT_LISTED}` };
    await expect(commands.putBack(session, SHOP, { ...request(PATHS), name: 'other' })).rejects.toMatchObject(refused);
    await expect(commands.replaceObject(session, SHOP, { ...request(PATHS), name: 'other', uid: 'u', blast: [], waitsFor: [] })).rejects.toMatchObject(refused);
    expect(recorded).toEqual([]);
  });
});

describe('asking that an object be put back', () => {
  it('[dispatch 13] is written as the person and on record first, and changes nothing about who asked for the application', async () => {
    const rig = await open({ manifest: deployment, live: await edited() });
    await rig.commands.putBack(rig.session, SHOP, request(PATHS));
    const written = rig.cluster.writes.filter(({ dryRun }) => !dryRun);
    expect(written).toMatchObject([
      {
        verb: 'update',
        person: { user: 'operator' },
        object: { kind: 'Application', metadata: { annotations: { [PUT_BACK.asked]: 'Deployment.apps/shop/web', 'slipway.dev/requested-by': 'alice' } } },
      },
    ]);
    expect(rig.recorded).toMatchObject([
      { actor: 'operator', action: 'drift.put-back', about: AT, message: expect.stringMatching(/^asks to put Deployment web in shop back: spec\.replicas, /) },
    ]);
  });

  it.each<[string, Partial<Bench>, readonly string[], string, RegExp]>([
    ['what differs otherwise by now', {}, ['spec.replicas'], 'conflict', /differs otherwise than you saw/],
    ['what a policy never writes', { policy: { readOnly: true } }, PATHS, 'rejected', /never written, because the policy read-only/],
    ['anything while nothing is applied', { repair: { when: 'waits', why: 'It waits.' } }, PATHS, 'rejected', /cannot be put back now\. It waits\./],
    ['what another controller keeps', { repair: { when: 'never', why: 'Another drives.' } }, PATHS, 'rejected', /cannot be put back\. Another drives\./],
    ['anything without the right to change the application', { rules: { may: ({ verb }) => verb !== 'update' } }, PATHS, 'forbidden', /may not do this/],
  ])('[dispatch 13] refuses %s, and writes nothing', async (_title, bench, seen, code, message) => {
    const rig = await open({ manifest: deployment, live: await edited(), ...bench });
    await expect(rig.commands.putBack(rig.session, SHOP, request(seen))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
  });

  it('[issue 10.4] is refused, as the page says, where a whole number beyond 2^53 would go by it', async () => {
    const live = await liveOf(deployment, (held) => ({ ...held, spec: { ...(held.spec as object), replicas: 2n ** 53n + 1n } })); // as it was written above
    const rig = await open({ manifest: deployment, live });
    const why = 'spec.replicas of Deployment web holds 9007199254740993: whole numbers beyond 2^53 are shown, and left to whoever set them';
    expect(await rig.commands.readDrift(rig.session, SHOP, AT)).toMatchObject({ repair: { when: 'never', why }, replacement: null });
    await expect(rig.commands.putBack(rig.session, SHOP, request(['spec.replicas']))).rejects.toMatchObject({
      code: 'rejected',
      message: `Deployment web in shop cannot be put back: ${why}`,
    });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
  });

  it('[dispatch 13] refuses what is as it is wanted', async () => {
    const rig = await open({ manifest: deployment, live: await liveOf(deployment, (held) => held) });
    await expect(rig.commands.putBack(rig.session, SHOP, request([]))).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('as it is wanted already'),
    });
  });

  it('[dispatch 13] is possible where apply-once leaves everything, also for what is gone', async () => {
    const never: DriftRepair = { when: 'never', why: 'The policy apply-once leaves what others change.' };
    const rig = await open({ manifest: deployment, live: undefined, policy: { keep: ['*'] }, repair: never });
    await rig.commands.putBack(rig.session, SHOP, request([]));
    expect(rig.recorded).toMatchObject([{ message: 'asks to put Deployment web in shop back: it is gone' }]);
  });

  it.each([
    ['patch', true],
    ['create', false],
  ])('[design 8] wants the right to %s the object of whoever asks, since the engine writes it for them', async (verb, exists) => {
    const rules: FakeRules = { may: (asked) => !(asked.resource === 'deployments' && asked.verb === verb) };
    const rig = await open({ manifest: deployment, live: exists ? await edited() : undefined, rules });
    await expect(rig.commands.putBack(rig.session, SHOP, request(exists ? PATHS : []))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`operator may not do this: it wants the right "${verb}" on deployments.apps`),
    });
    expect([rig.recorded, rig.cluster.writes]).toEqual([[], []]);
  });

  it('[dispatch 13] notes who asks, where the cluster does not, and adds nothing to what another asked for', async () => {
    const rig = await open({ manifest: deployment, live: await edited() });
    await rig.commands.putBack(rig.session, SHOP, request(PATHS));
    expect(rig.cluster.writes.at(-1)?.object?.metadata.annotations).toMatchObject({ [PUT_BACK.user]: 'operator' });

    const pending = { [PUT_BACK.asked]: 'ConfigMap/shop/a', [PUT_BACK.user]: 'alice', [PUT_BACK.groups]: '' };
    const live = await edited();
    const beside = await open({ manifest: deployment, live, rules: { objects: [anApplication({ annotations: pending }), live] } });
    await expect(beside.commands.putBack(beside.session, SHOP, request(PATHS))).rejects.toMatchObject({
      code: 'rejected',
      message: 'alice asked to have something of application web put back, which is under way; ask again in a moment',
    });
    expect([beside.recorded, beside.cluster.writes]).toEqual([[], []]);
  });

  it('[design 8] leaves no trace of what the cluster refuses', async () => {
    const refuse = () => new KubeApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    const rig = await open({ manifest: deployment, live: await edited(), rules: { refuse } });
    await expect(rig.commands.putBack(rig.session, SHOP, request(PATHS))).rejects.toMatchObject({ status: { code: 403 } });
    expect(rig.recorded).toEqual([]);
  });
});

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
  const BLAST = ['takes 2 Pods with it: a, b'];
  const FAILING: DriftRepair = { when: 'waits', why: 'The last try failed.', failing: true };
  const cause = { field: 'data', message: 'Forbidden: field is immutable when `immutable` is set', reason: 'FieldValueForbidden' };
  const invalid = (over = cause) => new KubeApiError({ code: 422, reason: 'Invalid', message: 'ConfigMap "settings" is invalid', details: { causes: [over] } });
  const asked = (over: object = {}) => ({ ...SETTINGS, ns: 'shop', seen: ['data.mode'], uid: 'settings-uid', blast: BLAST, waitsFor: [], ...over });

  async function openSettings(bench: Partial<Bench> = {}, live?: KubeObject): Promise<CommandRig> {
    const held =
      live ?? (await liveOf(settings({ mode: 'wanted' }), (one) => ({ ...one, metadata: { ...one.metadata, uid: 'settings-uid' }, data: { mode: 'found' } })));
    const refuse: FakeRules['refuse'] = ({ verb }) => (verb === 'patch' ? invalid() : undefined);
    const rig = await open({ manifest: settings({ mode: 'wanted' }), live: held, repair: FAILING, ...bench, rules: { refuse, ...bench.rules } });
    rig.blast = BLAST;
    return rig;
  }
  const done = (rig: CommandRig) => rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ verb, object, person }) => [verb, object.kind, person?.user]);

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
    const leaky = { field: 'spec.template', message: `Invalid value: {"env":"${CANARY}"}: field is immutable`, reason: 'FieldValueInvalid' };
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
    expect(rig.recorded).toMatchObject([{ actor: 'operator', action: 'drift.replace', about: SETTINGS, data: { uid: 'settings-uid', blast: BLAST } }]);
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
  });

  it.each<[string, Partial<Bench>, object, string, RegExp]>([
    ['another object of that name', {}, { uid: 'other' }, 'conflict', /not as you saw it/],
    ['other consequences than were seen', {}, { blast: [] }, 'conflict', /not as you saw it/],
    ['other drift than was seen', {}, { seen: ['data.other'] }, 'conflict', /not as you saw it/],
    ['what can be put back', { rules: { refuse: () => undefined } }, {}, 'rejected', /need not be deleted/],
    ['what a policy never writes', { policy: { readOnly: true } }, {}, 'rejected', /read-only/],
    ['anything while the application is held', { repair: { when: 'waits', why: 'An annotation holds it.' } }, {}, 'rejected', /An annotation holds it/],
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
    ['without the right to change the application', { rules: { may: ({ verb }) => verb !== 'update' } }, {}, 'forbidden', /may not do this/],
  ])('[design 14] refuses %s, and deletes nothing', async (_title, bench, over, code, message) => {
    const rig = await openSettings(bench);
    await expect(rig.commands.replaceObject(rig.session, SHOP, asked(over))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });

  it.each<[string, KubeObject]>([
    ['a workload that a rollout moves', { ...deployment, metadata: { name: 'settings', namespace: 'shop', labels: { 'serving.knative.dev/service': 'web' } } }],
  ])('[design 8] never deletes %s', async (_title, manifest) => {
    const live = await liveOf(manifest, (one) => ({
      ...one,
      metadata: { ...one.metadata, uid: 'settings-uid' },
      spec: { ...(one.spec as object), storageClassName: 'found', replicas: 9 },
    }));
    const refuse: FakeRules['refuse'] = ({ verb }) => (verb === 'patch' ? invalid() : undefined);
    const rig = await open({ manifest, live, repair: FAILING, rules: { objects: [anApplication(), aRollout(), live], refuse } });
    const { fields, replacement } = compared(await rig.commands.readDrift(rig.session, SHOP, { ...manifest, namespace: 'shop', name: 'settings' }));
    expect(replacement?.refused).toEqual(expect.any(String));
    const { apiVersion, kind } = manifest;
    const request = { apiVersion, kind, ns: 'shop', name: 'settings', seen: fields.map(({ path }) => path), uid: 'settings-uid', blast: [], waitsFor: [] };
    await expect(rig.commands.replaceObject(rig.session, SHOP, request)).rejects.toMatchObject({ code: 'rejected' });
    expect([done(rig), rig.recorded]).toEqual([[], []]);
  });
});
