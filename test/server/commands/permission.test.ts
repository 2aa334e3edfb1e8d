import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { parseApplication } from '@/server/application';
import { hashOf } from '@/server/application/revision';
import type { OwnRights } from '@/server/kube';
import { KubeTransportError } from '@/server/kube';
import type { AskedRight } from '../auth/fake-cluster';
import type { CommandRig } from './rig';
import { anApplication, aRevision, createCommandRig, SHOP } from './rig';

const configMaps = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${at}` } }));
const written = (objects: readonly object[]) =>
  stringify({
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop' },
    spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
  });
const withPolicies = (application: KubeObject, ...policies: readonly object[]) => ({
  ...application,
  spec: { ...(application.spec as object), policies },
});
const contents = ({ verb, resource, namespace }: AskedRight) => `${verb} ${resource} ${namespace ?? '*'}`;
const ofContents = (asked: readonly AskedRight[]) => asked.filter(({ resource }) => resource !== 'applications').map(contents);

describe('what a person has the server put into the cluster', () => {
  it('[design 8] is asked about once per right and namespace, however many objects there are, in a dry run too', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects: [] });
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'labs' } };
    await commands.applyApplication(session, { manifest: written([...configMaps(50), other]) });
    expect(ofContents(cluster.asked)).toEqual([
      'create configmaps shop',
      'patch configmaps shop',
      'create configmaps labs',
      'patch configmaps labs',
    ]);
  });

  it.each([true, false])(
    '[design 8] is refused with the object, the verb and the person (dry run: %s), and nothing is written',
    async (dryRun) => {
      const may = ({ verb, resource, namespace }: AskedRight) => !(verb === 'patch' && resource === 'configmaps' && namespace === 'labs');
      const { commands, session, cluster, recorded } = await createCommandRig({ objects: [], may });
      const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'labs' } };
      const asked = commands.applyApplication(session, { manifest: written([...configMaps(2), other]), dryRun });
      await expect(asked).rejects.toMatchObject({
        code: 'forbidden',
        message:
          'operator may not patch ConfigMap x in labs, which Application web in shop would have the server do for them: it requires the right "patch" on configmaps in namespace labs; nothing was changed',
      });
      expect(cluster.writes).toEqual([]);
      expect(recorded).toEqual([]);
    },
  );

  it.each(['configmaps', 'applications'])(
    '[design 8] is not taken for forbidden where the cluster cannot be asked about %s',
    async (asked) => {
      const may = ({ resource }: AskedRight) => {
        if (resource === asked) throw new KubeTransportError('no route to host');
        return true;
      };
      const { commands, session, cluster } = await createCommandRig({ objects: [anApplication()], may });
      await expect(commands.applyApplication(session, { manifest: written(configMaps(1)) })).rejects.not.toMatchObject({
        code: 'forbidden',
      });
      expect(cluster.writes).toEqual([]);
      if (asked === 'applications')
        await expect(commands.readApplicationRights(session, SHOP)).rejects.not.toMatchObject({ code: 'forbidden' });
    },
  );

  it('[design 8] is asked about by name where a right is not held for all', async () => {
    const may = ({ verb, resource, name }: AskedRight) => !(verb === 'patch' && resource === 'configmaps') || name === 'map-0';
    const narrow = await createCommandRig({ objects: [], may });
    await narrow.commands.applyApplication(narrow.session, { manifest: written(configMaps(1)) });
    await expect(narrow.commands.applyApplication(narrow.session, { manifest: written(configMaps(2)) })).rejects.toThrow(
      'may not patch ConfigMap map-1 in shop',
    );
  });

  it('[design 8] is what changes: what stays as a revision has it needs no right, what is written otherwise the one to patch, what goes the one to delete', async () => {
    const may = ({ resource, verb }: AskedRight) => resource !== 'secrets' || verb === 'get';
    const objects = [anApplication(), aRevision('web-v1', 'web:1')];
    const rig = await createCommandRig({ objects, may });
    const image = { component: 'front', uid: 'app-uid', generation: 2, image: 'web:2' };
    await rig.commands.changeComponent(rig.session, SHOP, image);
    expect(ofContents(rig.cluster.asked)).toEqual(['patch deployments shop']);

    const entry = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' };
    const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
    const tracker: KubeObject = {
      ...KINDS.resourceTracker,
      metadata: { name: 'web-v1-shop', labels },
      spec: { type: 'versioned', managedResources: [entry] },
    };
    const dropping = await createCommandRig({ objects: [...objects, tracker], may });
    await expect(dropping.commands.applyApplication(dropping.session, { manifest: written(configMaps(1)) })).rejects.toThrow(
      'operator may not delete Secret key in shop, which Application web in shop would have the server do for them',
    );
    expect(dropping.cluster.writes).toEqual([]);
  });

  it.each([true, false])('[issue 10, 1] is also what only a policy changes: told by the preview already (dry run: %s)', async (dryRun) => {
    const readOnly = { name: 'as-it-is', type: 'read-only', properties: { rules: [{ selector: { resourceNames: ['key'] } }] } };
    const held = withPolicies(anApplication(), readOnly);
    const spec = { application: withPolicies({ ...anApplication(), metadata: { name: 'web', namespace: 'shop' } }, readOnly) };
    const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/app-revision-hash': hashOf(parseApplication(held)) };
    const revision = aRevision('web-v1', 'web:1');
    const objects = [held, { ...revision, metadata: { ...revision.metadata, labels }, spec }];
    const ask = async (may: (asked: AskedRight) => boolean, policies: readonly object[]) => {
      const rig = await createCommandRig({ objects, may });
      const manifest = stringify({ ...anApplication(), spec: { ...(anApplication().spec as object), policies } });
      await rig.commands.applyApplication(rig.session, { manifest, dryRun });
      return ofContents(rig.cluster.asked).filter((one) => !one.startsWith('get ')); // what the preview shows is asked about too
    };
    const mayNotWriteSecrets = ({ resource, verb }: AskedRight) => resource !== 'secrets' || verb === 'get';
    await expect(ask(mayNotWriteSecrets, [])).rejects.toThrow(
      'operator may not create Secret key in shop, which Application web in shop would have',
    );
    expect(await ask(mayNotWriteSecrets, [{ ...readOnly, name: 'by-another-name' }])).toEqual([]);
    expect(await ask(() => true, [])).toEqual(['create secrets shop', 'patch secrets shop']);
  });

  it('[issue 10, 1] is not its labels either: the preview says which do not reach the objects, and whose they are', async () => {
    const held = anApplication();
    const revision = aRevision('web-v1', 'web:1');
    const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/app-revision-hash': hashOf(parseApplication(held)) };
    const objects = [held, { ...revision, metadata: { ...revision.metadata, labels } }];
    const preview = async (may: (asked: AskedRight) => boolean) => {
      const rig = await createCommandRig({ objects, may });
      const manifest = stringify({ ...held, metadata: { ...held.metadata, labels: { tier: 'front' } } });
      return rig.commands.applyApplication(rig.session, { manifest, dryRun: true });
    };
    expect(await preview(({ resource, verb }) => resource !== 'secrets' || verb === 'get')).toMatchObject({
      withheld: expect.stringMatching(
        /^tier of Application web in shop, changed by operator, is not propagated to its objects, .* operator may not patch Secret key in shop/,
      ),
    });
    expect(await preview(() => true)).not.toHaveProperty('withheld');
  });

  it('[issue 14.3] is told before it is applied to wait until the application is resumed, with the plan that it has anyway', async () => {
    const preview = async (annotations: Readonly<Record<string, string>>) => {
      const held = anApplication();
      const rig = await createCommandRig({ objects: [{ ...held, metadata: { ...held.metadata, annotations } }] });
      return rig.commands.applyApplication(rig.session, { manifest: written(configMaps(1)), dryRun: true });
    };
    const shown = await preview({});
    expect(shown).not.toHaveProperty('suspended');
    const suspended = 'Application web in shop is suspended: none of this happens until it is resumed';
    expect(await preview({ [SUSPENDED]: 'true' })).toEqual({ ...shown, suspended });
  });

  it('[issue 10.1] is told before it is applied to wait for a grant of the server, and nothing is tried out that it may not write', async () => {
    const preview = async (holds: boolean) => {
      const ownRights: OwnRights = { lacks: async (rights) => (holds ? [] : rights.filter(({ verb }) => verb === 'create')) };
      const rig = await createCommandRig({ objects: [], ownRights });
      const shown = await rig.commands.applyApplication(rig.session, { manifest: written(configMaps(1)), dryRun: true });
      return { shown, tried: rig.cluster.writes.filter(({ person }) => person === undefined).map(({ object }) => object.kind) };
    };
    const { shown, tried } = await preview(false);
    expect(tried).toEqual([]);
    expect(shown).toMatchObject({
      ungranted:
        'the server may not create configmaps in namespace shop until its owner grants it: slipway grant shop | kubectl apply -f -',
      changes: [{ verdict: 'new', why: expect.stringMatching(/; no dry run was made: the server may not write it yet$/) }],
    });
    const granted = await preview(true);
    expect(granted.shown).not.toHaveProperty('ungranted');
    expect(granted.tried).toEqual(['ConfigMap']);
  });

  it('[design 8] is tried as the person where it gives rights, and not written when they may not give them', async () => {
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'give' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    };
    const mayNotBind = await createCommandRig({ objects: [], may: ({ verb }) => verb !== 'bind' });
    await mayNotBind.commands.applyApplication(mayNotBind.session, { manifest: written([binding]) });
    expect(mayNotBind.cluster.writes[0]).toMatchObject({
      verb: 'create',
      dryRun: true,
      person: { user: 'operator' },
      object: { kind: 'ClusterRoleBinding' },
    });
    const refused = await createCommandRig({
      objects: [],
      may: ({ verb }) => verb !== 'bind',
      refuse: () => new Error('not currently held'),
    });
    await expect(refused.commands.applyApplication(refused.session, { manifest: written([binding]) })).rejects.toThrow(
      'operator may not grant the rights in ClusterRoleBinding give',
    );
    const mayBind = await createCommandRig({ objects: [] });
    await mayBind.commands.applyApplication(mayBind.session, { manifest: written([binding]) });
    expect(mayBind.cluster.writes.every(({ object }) => object.kind === 'Application')).toBe(true);
  });

  it('[design 8] is noted with the person and their groups, as admission needs it', async () => {
    const { commands, session, cluster } = await createCommandRig({ objects: [] });
    await commands.applyApplication(session, { manifest: written(configMaps(1)) });
    expect(cluster.writes[1]?.object.metadata.annotations).toEqual({
      'slipway.dev/requested-by': 'operator',
      'slipway.dev/requested-by-groups': 'slipway:operators',
    });
  });
});

describe('what only the engine of applications carries out', () => {
  const why = 'Deployment kubevela-vela-core in vela-system drives applications in this cluster; Slipway only observes';
  const place = { uid: 'app-uid', generation: 1 };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'map-0', seen: [] };

  it.each<[string, (rig: CommandRig) => Promise<unknown>]>([
    ['a preview', ({ commands, session }) => commands.applyApplication(session, { manifest: written(configMaps(1)), dryRun: true })],
    ['a manifest', ({ commands, session }) => commands.applyApplication(session, { manifest: written(configMaps(1)) })],
    ['a new image', ({ commands, session }) => commands.changeComponent(session, SHOP, { ...place, component: 'web', image: 'web:2' })],
    [
      'its preview',
      ({ commands, session }) => commands.changeComponent(session, SHOP, { ...place, component: 'web', image: 'web:2', dryRun: true }),
    ],
    ['another plan', ({ commands, session }) => commands.acceptPlan(session, SHOP, { ...place, plan: 'a' })],
    ['a revert', ({ commands, session }) => commands.revertObject(session, SHOP, object)],
    ['a replacement', ({ commands, session }) => commands.replaceObject(session, SHOP, { ...object, uid: 'u', blast: [], waitsFor: [] })],
  ])('[issue 9.3] is refused with who drives where another controller does: %s', async (_, ask) => {
    const rig = await createCommandRig();
    rig.standingOf = (engine) => (engine === 'application' ? why : null);
    await expect(ask(rig)).rejects.toMatchObject({ code: 'unavailable', message: why });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
  });

  it('[issue 9.3] is offered to nobody meanwhile, with the same sentence', async () => {
    const rig = await createCommandRig();
    const read = async () => [
      ...Object.values(await rig.commands.readApplicationRights(rig.session, SHOP)),
      (await rig.commands.readCreateRights(rig.session)).create,
    ];
    expect(new Set(await read())).toEqual(new Set([null]));
    rig.standingOf = (engine) => (engine === 'application' ? why : null);
    expect(new Set(await read())).toEqual(new Set([why]));
  });
});
