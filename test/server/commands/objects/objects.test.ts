import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { TABLE_PAGE } from '@/lib/contract/object-rows';
import type { KubeObject } from '@/lib/kube/object';
import type { Act } from '@/server/auth';
import type { EventViewer } from '@/server/commands/objects/follow-events';
import { followEvents, recheckEvents } from '@/server/commands/objects/follow-events';
import { readKinds } from '@/server/commands/objects/read-kinds';
import { findObjects, readObjectDetail } from '@/server/commands/objects/read-object-detail';
import { readTable } from '@/server/commands/objects/read-table';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { ObjectsRig } from './rig';
import { ANN, configMap, createObjectsRig } from './rig';

const MAPS = { group: '', named: 'configmaps' };
const PASSWORD = 'canary-4411';

describe('any object of a cluster', () => {
  let rig: ObjectsRig;

  beforeAll(async () => {
    rig = await createObjectsRig();
    for (let at = 0; at < TABLE_PAGE * 2 + 30; at++) {
      await rig.cluster.create(configMap(`map-${String(at).padStart(3, '0')}`, { labels: { even: String(at % 2 === 0) } }));
    }
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('[issue 14.1] a table has the columns that the API server prints, a page at a time to the end', async () => {
    const first = await readTable(rig.deps, ANN, MAPS, { ns: 'default' });
    expect(first.columns.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect([first.rows.length, first.remaining, first.rows[0]?.cells.slice(0, 2)]).toEqual([TABLE_PAGE, TABLE_PAGE + 30, ['map-000', '1']]);
    const second = await readTable(rig.deps, ANN, MAPS, { ns: 'default', next: first.next ?? '' });
    const third = await readTable(rig.deps, ANN, MAPS, { ns: 'default', next: second.next ?? '' });
    expect([second.rows[0]?.name, third.rows.length, third.next]).toEqual(['map-100', 30, null]);
  });

  it('[issue 14.1] a table is narrowed by a part of a name across pages, by labels, and by namespace', async () => {
    const named = await readTable(rig.deps, ANN, MAPS, { ns: 'default', q: 'AP-22' });
    expect(named.rows.map(({ name }) => name)).toEqual([
      'map-220',
      'map-221',
      'map-222',
      'map-223',
      'map-224',
      'map-225',
      'map-226',
      'map-227',
      'map-228',
      'map-229',
    ]);
    const labelled = await readTable(rig.deps, ANN, MAPS, { ns: 'default', labels: 'even=true', q: 'map-22' });
    expect(labelled.rows).toHaveLength(5);
    expect((await readTable(rig.deps, ANN, MAPS, { ns: 'kube-public' })).rows.filter(({ name }) => name.startsWith('map'))).toEqual([]);
  });

  it('[issue 14.3] a table is narrowed by owner across pages: whole, by kind, and what nothing owns', async () => {
    const { metadata } = await rig.cluster.create(configMap('zz-owner'));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'zz-owner', uid: metadata.uid, controller: true }];
    await rig.cluster.create(configMap('zz-child', { ownerReferences }));
    const annotations = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'default' };
    await rig.cluster.create(configMap('zz-helm', { annotations }));
    const namesOf = async (...owner: string[]) =>
      (await readTable(rig.deps, ANN, MAPS, { ns: 'default', q: 'zz', owner })).rows.map(({ name }) => name);
    expect(await namesOf('ConfigMap/default/zz-owner')).toEqual(['zz-child']);
    expect(await namesOf('Helm release', 'ConfigMap')).toEqual(['zz-child', 'zz-helm']);
    expect(await namesOf('none')).toEqual(['zz-owner']);
    const all = await readTable(rig.deps, ANN, MAPS, { ns: 'default', owner: ['Helm release/default/web'] });
    expect(all.rows).toMatchObject([{ name: 'zz-helm', owner: 'Helm release/default/web' }]);
  });

  it('[issue 14.1] a selector that means nothing is refused in the words of the API server', async () => {
    await expect(readTable(rig.deps, ANN, MAPS, { labels: 'a==b==c' })).rejects.toThrow(/unable to parse|selector|found/i);
  });

  it('[issue 14.1] kinds are told once each, those that may not be listed are named', async () => {
    const page = await readKinds(rig.deps, ANN, undefined);
    const deployments = page.kinds.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toMatchObject([{ group: 'apps', version: 'v1', plural: 'deployments', namespaced: true }]);
    expect(new Set(page.kinds.map(({ group, kind }) => `${group}/${kind}`)).size).toBe(page.kinds.length);
    expect(page.refused).toEqual([]);
  });

  it.each([
    [undefined, 'kubectl create clusterrolebinding slipway-view-ann --clusterrole=view --user=ann', 'all namespaces'],
    ['shop', 'kubectl create rolebinding slipway-view-ann --clusterrole=view --user=ann --namespace=shop', 'namespace shop'],
  ])('[issue 14.3] kinds of which none may be listed in %j are refused with the command that grants them', async (ns, command, where) => {
    const review = async (object: KubeObject) => ({ ...object, status: { resourceRules: [], nonResourceRules: [], incomplete: false } });
    const cluster = { ...rig.cluster, as: () => ({ ...rig.cluster, create: review }) } as unknown as Cluster;
    await expect(readKinds({ ...rig.deps, cluster }, ANN, ns)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`ann may not list any kind in ${where}`),
      details: { grant: [command] },
    });
  });

  it('[design 8] a Secret is shown without its values, in the table and close up', async () => {
    await rig.cluster.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'key' },
      stringData: { password: PASSWORD },
    });
    const table = await readTable(rig.deps, ANN, { group: '', named: 'secrets' }, { ns: 'default' });
    const one = await readObjectDetail(rig.deps, ANN, { of: { group: '', named: 'Secret' }, ns: 'default', name: 'key' });
    expect(table.rows).toMatchObject([{ name: 'key' }]);
    expect(one).toMatchObject({ masked: true, manifest: expect.stringContaining('password: ••••••••') });
    const told = JSON.stringify([table, one]);
    for (const form of [PASSWORD, Buffer.from(PASSWORD).toString('base64')]) expect(told).not.toContain(form);
  });

  it('[issue 14.1] is shown with each digit of long numbers, and without a password in an address', async () => {
    await rig.cluster.create({
      ...configMap('exact', { annotations: { from: 'https://ann:hunter2@git.example.com/x' } }),
      apiVersion: 'v1',
      kind: 'Service',
      data: undefined,
      spec: { ports: [{ port: 80 }] },
    });
    const long = await readObjectDetail(
      {
        ...rig.deps,
        cluster: {
          ...rig.deps.cluster,
          as: () => ({ ...rig.cluster, get: async () => ({ ...configMap('exact'), spec: { seed: 9007199254740993n } }) }),
        },
      },
      ANN,
      { of: MAPS, ns: 'default', name: 'exact' },
    );
    expect(long.manifest).toContain('seed: 9007199254740993');
    const service = await readObjectDetail(rig.deps, ANN, { of: { group: '', named: 'services' }, ns: 'default', name: 'exact' });
    expect(service).toMatchObject({ masked: true, manifest: expect.stringContaining('https://••••••••@git.example.com/x') });
  });

  it('[issue 14.1] tells its owners and theirs, one that is gone as such, and who set which field', async () => {
    const top = await rig.cluster.create(configMap('top'), { fieldManager: 'ann-cli' });
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', controller: true };
    const middle = await rig.cluster.create(configMap('middle', { ownerReferences: [{ ...ref, name: 'top', uid: top.metadata.uid }] }));
    await rig.cluster.create(
      configMap('low', {
        ownerReferences: [
          { ...ref, name: 'middle', uid: middle.metadata.uid },
          { ...ref, controller: false, name: 'former', uid: 'another-uid' },
        ],
      }),
      { fieldManager: 'ann-cli' },
    );
    const one = await readObjectDetail(rig.deps, ANN, { of: MAPS, ns: 'default', name: 'low' });
    expect(one.owners.map(({ name, depth, state, controller }) => [name, depth, state, controller])).toEqual([
      ['middle', 1, 'there', true],
      ['former', 1, 'gone', false],
      ['top', 2, 'there', true],
    ]);
    expect(one).toMatchObject({
      health: 'Current',
      rule: 'a rule',
      managers: [{ manager: 'ann-cli', fields: expect.arrayContaining(['data.a']) }],
    });
  });

  it('[design 8] tells of what it owns, and finds by a part of a name, only what the person may see, and counts the kinds of the rest', async () => {
    const root = await rig.cluster.create(configMap('owning'));
    const child = (kind: string, name: string) => ({ ...configMap(name), kind });
    const [seen, hidden] = [child('ConfigMap', 'owned-seen'), child('Secret', 'owned-hidden')];
    const health = { health: 'Current', message: '' } as const;
    const deps = {
      ...rig.deps,
      objectReader: {
        ...rig.deps.objectReader,
        below: () => ({ objects: [hidden, seen].map((object) => ({ object, depth: 1, health })), more: 0 }),
        find: () => [hidden, seen],
      },
    } as unknown as ObjectsRig['deps'];
    const isHidden = (act: Act) =>
      (act.kind === 'view-kind' && act.of.named === 'Secret') || (act.kind === 'view-status' && act.type.kind === 'Secret');
    rig.refuse = (act) => (isHidden(act) ? new AppError('forbidden', 'ann may not') : undefined);
    const one = await readObjectDetail(deps, ANN, { of: MAPS, ns: 'default', name: 'owning' });
    const found = await findObjects(deps, ANN, 'owned');
    rig.refuse = () => undefined;
    expect([one.uid, one.owned.map(({ name }) => name), one.ownedHidden]).toEqual([root.metadata.uid, ['owned-seen'], ['Secret']]);
    expect(found.objects.map(({ name }) => name)).toEqual(['owned-seen']);
    expect((await findObjects(deps, ANN, 'owned')).objects).toHaveLength(2);
  });

  it('[design 8] an owner of another uid is gone, whoever bears its name, and one that the person may not read is told by name alone', async () => {
    const again = await rig.cluster.create(configMap('again'));
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'again' };
    await rig.cluster.create(configMap('orphan', { ownerReferences: [{ ...ref, uid: 'before' }] }));
    await rig.cluster.create(configMap('kept', { ownerReferences: [{ ...ref, uid: again.metadata.uid }] }));
    const stateOf = async (name: string, deps = rig.deps) =>
      (await readObjectDetail(deps, ANN, { of: MAPS, ns: 'default', name })).owners.map(({ state }) => state);
    expect([await stateOf('orphan'), await stateOf('kept')]).toEqual([['gone'], ['there']]);
    const get: typeof rig.cluster.get = async (at, options) => {
      if (at.name === 'again') throw new KubeApiError({ code: 403, reason: 'Forbidden', message: 'no' });
      return rig.cluster.get(at, options);
    };
    const poor = { ...rig.deps, cluster: { ...rig.deps.cluster, as: () => ({ ...rig.cluster, get }) } };
    expect(await stateOf('kept', poor)).toEqual(['hidden']);
  });

  it('[issue 14.1] a kind that is not served and an object that is not there are told as such', async () => {
    await expect(readTable(rig.deps, ANN, { group: 'nowhere.dev', named: 'things' }, {})).rejects.toThrow(/things/);
    await expect(readObjectDetail(rig.deps, ANN, { of: MAPS, ns: 'default', name: 'none' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('[issue 14.1] events of an object and of what it owns are told as they come, and the right to read them is asked for anew', async () => {
    const root = await rig.cluster.create(configMap('root'));
    const about = (name: string, uid: string | undefined) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name, uid });
    const tell = (name: string, involvedObject: object) =>
      rig.cluster.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: 'default', name },
        involvedObject,
        reason: name,
        message: 'm',
        type: 'Normal',
        lastTimestamp: new Date().toISOString(),
      } as never);
    await tell('before', about('root', root.metadata.uid));
    const leaving = new AbortController();
    let version = '1';
    const children = new Set(['child']);
    const scope = {
      version: () => version,
      namespaces: ['default'],
      belongs: ({ uid, name }: { readonly uid: string; readonly name: string }) => uid === root.metadata.uid || children.has(name),
    };
    const viewer: EventViewer = { session: ANN, namespaces: [] };
    const stream = followEvents(rig.deps, viewer, scope, leaving.signal);
    expect((await stream.next()).value?.events.map(({ reason }) => reason)).toEqual(['before']);
    await tell('other', about('stranger', 'x'));
    await tell('after', about('child', 'y'));
    expect((await stream.next()).value?.events.map(({ reason }) => reason).sort()).toEqual(['after', 'before']);
    // What it names later had events before.
    children.add('stranger');
    version = '2';
    expect((await stream.next()).value?.events.map(({ reason }) => reason).sort()).toEqual(['after', 'before', 'other']);
    await expect(recheckEvents(rig.deps, viewer, rig.deps.clock.now())).resolves.toBeUndefined();
    rig.refuse = () => new AppError('forbidden', 'ann may not do this: it requires the right "list" on events');
    await expect(recheckEvents(rig.deps, viewer, rig.deps.clock.now())).rejects.toThrow('it requires the right "list" on events');
    rig.refuse = () => undefined;
    leaving.abort();
    expect((await stream.next()).done).toBe(true);
  });
});
