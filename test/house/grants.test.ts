import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { isForbidden } from '@/server/kube';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
/** How long a grant may take until it is noticed. */
const NOTICED_MS = 60_000;

const anApplication = (...objects: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web' },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});
const config = { ...CONFIG, metadata: { name: 'settings' }, data: { a: '1' } };
const secret = { ...SECRET, metadata: { name: 'key' }, stringData: { key: 'unlocked' } };

const applied = async (house: House) => getCondition((await house.get(KINDS.application, 'web')) ?? config, 'Applied');
const waits = (house: House) => house.until('the application waits', async () => (await applied(house))?.reason === 'NotGranted');
const runs = (house: House) =>
  house.until(
    'the application runs',
    async () => readString(await house.get(KINDS.application, 'web'), 'status', 'status') === 'running',
    NOTICED_MS,
  );

/** Applies what `slipway grant` prints, as whoever administers the namespace and nothing else. */
async function grant(house: House, ...kinds: readonly string[]): Promise<void> {
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'owner' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: kinds.length > 0 ? 'cluster-admin' : 'admin' };
  await house.apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'owner' }, roleRef, subjects });
  const owner = house.cluster.as({ user: 'owner', groups: [] });
  for (const object of grantObjects(house.ns, { kinds })) await owner.create(object);
}

describe('a server without the opt-in for the whole cluster', () => {
  it('[issue 10.1] writes nothing where nobody granted it, and condition, Event and doctor tell the command; once its owner applied what it prints, it goes on', async () => {
    await using house = await startHouse({ asServer: true });
    await house.apply(anApplication(config, secret));
    await waits(house);
    const command = `slipway grant ${house.ns} | kubectl apply -f -`;
    const why = `the server may not create, patch configmaps, secrets in namespace ${house.ns} until its owner grants it`;
    expect(await applied(house)).toMatchObject({ status: 'False', message: `${why}: ${command}` });
    expect(await house.get(CONFIG, 'settings')).toBeUndefined();
    expect(await house.get(KINDS.applicationRevision, 'web-v1')).toBeUndefined();
    expect(house.findings()).toEqual([{ area: 'rights', subject: house.ns, sentence: `1 application waits: ${why}`, remedy: command }]);
    await house.advance(5 * NOTICED_MS);
    const events = (await house.list({ apiVersion: 'v1', kind: 'Event' })).filter((event) => readString(event, 'reason') === 'NotGranted');
    expect(events).toMatchObject([
      { type: 'Warning', message: `${why}: ${command}`, involvedObject: { kind: 'Application', name: 'web' }, count: 1 },
    ]);

    await grant(house);
    await runs(house);
    expect(await house.get(CONFIG, 'settings')).toMatchObject({ data: { a: '1' } });
    expect(await house.get(SECRET, 'key')).toBeDefined();
    expect(house.findings()).toEqual([]);
  });

  it('[issue 10.1] holds an application for what it writes in any namespace, by the kinds that no grant names unasked', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'look' }, rules: [] };
    await house.apply(anApplication(config, role, { ...config, metadata: { name: 'far', namespace: 'default' } }));
    await waits(house);
    expect((await applied(house))?.message).toBe(
      `the server may not create, patch roles.rbac.authorization.k8s.io in namespace ${house.ns} until its owner grants it: slipway grant ${house.ns} --kinds roles.rbac.authorization.k8s.io | kubectl apply -f -; the server may not create, patch configmaps in namespace default until its owner grants it: slipway grant default | kubectl apply -f -`,
    );
    expect(await house.get(CONFIG, 'settings')).toBeUndefined();
    expect(house.findings().map(({ subject }) => subject)).toEqual([house.ns, 'default']);
  });

  it('[issue 10.1] says of what lies in no namespace that an administrator gives the right', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    await house.apply(anApplication({ ...KINDS.namespace, metadata: { name: 'another' } }));
    await waits(house);
    expect((await applied(house))?.message).toBe(
      'the server may not create, patch namespaces, which are cluster-scoped: an administrator must bind a ClusterRole with these rights to it',
    );
    expect(house.findings()).toMatchObject([{ subject: 'cluster-scoped objects', remedy: null }]);
    await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
    await house.until('nobody waits any more', () => house.findings().length === 0, 5_000);
  });

  it('[issue 10.1] lets a right on the one object do, where no right on its kind is given', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    await house.apply(anApplication(config));
    await runs(house);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: house.ns, name: 'slipway:writer' };
    const all = ['get', 'list', 'watch', 'create'];
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: all },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['settings'], verbs: ['patch'] },
    ];
    await house.cluster.patch(role, { type: 'merge', body: { rules } });
    await house.advance(NOTICED_MS);
    await house.apply(anApplication({ ...config, data: { a: '2' } }));
    await house.until('it is changed', async () => readString(await house.get(CONFIG, 'settings'), 'data', 'a') === '2', NOTICED_MS);
    await house.apply(anApplication({ ...config, metadata: { name: 'other' } }));
    await waits(house);
    expect((await applied(house))?.message).toContain(`may not delete, patch configmaps in namespace ${house.ns}`);
  });

  it('[issue 10.1] waits with a deletion as well where the grant was taken back, and ends it once it is given again', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    await house.apply(anApplication(config));
    await runs(house);
    const binding = await house.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' }, 'slipway:writer');
    await house.cluster.delete(toAddress(binding ?? config));
    await house.advance(NOTICED_MS);
    await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
    await house.until(
      'it waits',
      async () => getCondition((await house.get(KINDS.application, 'web')) ?? config, 'Collected')?.reason === 'NotGranted',
    );
    expect(house.findings()).toMatchObject([{ subject: house.ns, remedy: `slipway grant ${house.ns} | kubectl apply -f -` }]);
    expect(await house.get(CONFIG, 'settings')).toBeDefined();

    const { uid: _uid, resourceVersion: _version, ...metadata } = binding?.metadata ?? {};
    await house.cluster.create({ ...(binding ?? config), metadata });
    await house.until('all of it is gone', async () => (await house.get(KINDS.application, 'web')) === undefined, NOTICED_MS);
    expect(await house.get(CONFIG, 'settings')).toBeUndefined();
    expect(house.findings()).toEqual([]);
  });

  it('[issue 10.1] watches Secrets in namespaces that were granted, and there alone: what is changed by hand is put back at once', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    await house.apply(anApplication(secret, { ...secret, metadata: { name: 'far', namespace: 'default' } }));
    await waits(house);
    for (const object of grantObjects('default')) await house.cluster.create(object);
    await runs(house);
    const store = () => house.informers.all().find(({ scope }) => scope.kind === 'Secret' && scope.labelSelector === undefined);
    await house.until('they are watched', () => store()?.health().watchedIn?.length === 2);
    expect([...(store()?.health().watchedIn ?? [])].sort()).toEqual(['default', house.ns]);
    expect(store()?.knowledge(`${house.ns}/key`)).toEqual({ kind: 'watched' });
    expect(store()?.knowledge('kube-system/key').kind).not.toBe('watched');
    await house.advance(10_000);
    expect(house.polled().map(({ kind }) => kind)).toEqual([]);
    await house.cluster.patch({ ...SECRET, namespace: house.ns, name: 'key' }, { type: 'merge', body: { data: { key: 'Zm9yZ2Vk' } } });
    await house.until('it is put back', async () => readString(await house.get(SECRET, 'key'), 'data', 'key') === 'dW5sb2NrZWQ=', 3_000);
  });

  it('[issue 10.1] polls and says so where a grant is too small to watch, and watches once it does', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: house.ns, name: 'slipway:writer' };
    const giveSecrets = (...verbs: readonly string[]) =>
      house.cluster.patch(role, { type: 'merge', body: { rules: [{ apiGroups: [''], resources: ['secrets'], verbs }] } });
    await giveSecrets('get', 'create', 'patch', 'delete');
    await house.apply(anApplication(secret));
    await runs(house);
    expect(new Set(house.polled().map(({ kind, verb }) => `${kind} ${verb}`))).toEqual(new Set(['Secret list']));
    const store = () => house.informers.all().find(({ scope }) => scope.kind === 'Secret' && scope.labelSelector === undefined);
    expect(store()?.knowledge(`${house.ns}/key`)).toMatchObject({ kind: 'polled', by: 'get' });
    await giveSecrets('get', 'list', 'watch', 'create', 'patch', 'delete');
    await house.until('it is watched', () => store()?.knowledge(`${house.ns}/key`).kind === 'watched', NOTICED_MS);
    await house.until('nothing is polled', () => house.polled().length === 0, 10_000);
  });

  it('[issue 10.1] may act as nobody to find out what somebody may give, so it requires the right to give anything', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house, 'roles.rbac.authorization.k8s.io');
    const rbac = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] };
    const own = { apiGroups: ['core.oam.dev'], resources: ['applications'], verbs: ['*'] };
    const giveAnn = async (...verbs: readonly string[]) => {
      const rules = [{ ...rbac, verbs }, own];
      const held = await house.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }, 'ann');
      if (held !== undefined) return house.cluster.patch(toAddress(held), { type: 'merge', body: { rules } });
      const metadata = { name: 'ann', namespace: house.ns };
      await house.cluster.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'ann' };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }];
      return house.cluster.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, roleRef, subjects });
    };
    await giveAnn('create', 'patch', 'delete');
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'look' }, rules: [] };
    const wanted = anApplication(role);
    await house.cluster.as({ user: 'ann', groups: [] }).create({ ...wanted, metadata: { ...wanted.metadata, namespace: house.ns } });
    await house.until('it is refused', async () => (await applied(house))?.reason === 'NotPermitted');
    expect((await applied(house))?.message).toBe(
      `ann may not grant the rights in Role look in ${house.ns}, which Application web in ${house.ns} would have the server do for them: the server may not impersonate them to find out whether they hold these rights, so it requires the right "escalate" on roles.rbac.authorization.k8s.io in namespace ${house.ns}; nothing was changed`,
    );
    await giveAnn('create', 'patch', 'delete', 'escalate');
    await house.until(
      'it is applied',
      async () => (await house.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }, 'look')) !== undefined,
      NOTICED_MS,
    );
  });

  it('[issue 10.1] is granted by who administers the namespace, and by nobody who holds less than is given', async () => {
    await using house = await startHouse({ asServer: true });
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'editor' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    await house.apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'editor' }, roleRef, subjects });
    const editor = house.cluster.as({ user: 'editor', groups: [] });
    const [role] = grantObjects(house.ns);
    expect(await editor.create(role ?? config).catch(isForbidden)).toBe(true);
    await grant(house);
    expect(await house.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' }, 'slipway:writer')).toBeDefined();
  });
});
