import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS, PLAN, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectId } from '@/lib/kube/object';
import type { Cluster, Person } from '@/server/kube';
import { isConflict, isNotFound } from '@/server/kube';
import type { ClusterKind, House } from '../support/house';
import { applied, aRevision, BY, configMap, peopleOf, RBAC, refusal, startPermissionHouse } from './permission-start';

function aGrant({ ns }: House, subject: string): KubeObject {
  return {
    apiVersion: RBAC,
    kind: 'ClusterRoleBinding',
    metadata: { name: `give-${ns}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: subject }],
  } as KubeObject;
}

/** Applies an application as somebody, over whatever else is written meanwhile. */
async function applyAs(house: House, person: Person | undefined, objects: readonly object[], name = 'web'): Promise<void> {
  const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] };
  const cluster: Cluster = person === undefined ? house.cluster : house.cluster.as(person);
  const at = { ...KINDS.application, namespace: house.ns, name };
  for (;;) {
    const held = await house.cluster.get(at).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    try {
      await (held === undefined
        ? cluster.create({ ...KINDS.application, metadata: { name, namespace: house.ns }, spec })
        : cluster.update({ ...held, spec }));
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

const isAsking = ({ metadata }: KubeObject) => metadata.annotations?.[PUT_BACK.asked] !== undefined;

const GRANT = { apiVersion: RBAC, kind: 'ClusterRoleBinding' };

/** Who may put what into the cluster through an application. */
export function definePermissionHouse(clusterKind: ClusterKind): void {
  describe(`what an application may hold on the ${clusterKind} cluster`, () => {
    it('[design 8] is what whoever requested it may write and delete themselves; anything else is held and changes nothing', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const grant = aGrant(house, ann.user);
      await applyAs(house, ann, [configMap('plain', { a: '1' })]);
      await applied(house, 'web-v1');

      await applyAs(house, ann, [configMap('plain', { a: '2' }), grant]);
      expect(await refusal(house)).toBe(
        `${ann.user} may not create ClusterRoleBinding give-${house.ns}, which Application web in ${house.ns} would have the server do for them: it requires the right "create" on clusterrolebindings.rbac.authorization.k8s.io (cluster-scoped); nothing was changed`,
      );
      expect(await house.get(GRANT, `give-${house.ns}`)).toBeUndefined();
      expect(await house.get(KINDS.applicationRevision, 'web-v2')).toBeUndefined();
      expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'plain')).toMatchObject({ data: { a: '1' } });

      await applyAs(house, root, [configMap('plain', { a: '3' }), grant]);
      await applied(house, 'web-v2');
      expect(await house.get(GRANT, `give-${house.ns}`)).toBeDefined();

      // Taken away first, so that Ann does not hold what it gives: she changes it in nothing, and needs no right for it.
      await house.cluster.delete({ ...GRANT, name: `give-${house.ns}` });
      await applyAs(house, ann, [configMap('plain', { a: '4' }), grant]);
      await applied(house, 'web-v3');
      await house.until('it is put back', async () => (await house.get(GRANT, `give-${house.ns}`)) !== undefined);
    });

    it('[design 8] is not what would give somebody rights that whoever requested it does not hold', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann } = peopleOf(house);
      const role = (resources: readonly string[]) => ({
        apiVersion: RBAC,
        kind: 'Role',
        metadata: { name: 'reader' },
        rules: [{ apiGroups: [''], resources, verbs: ['get'] }],
      });
      const binding = {
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
      };
      await applyAs(house, ann, [role(['secrets']), binding]);
      expect(await refusal(house)).toMatch(
        new RegExp(
          `^${ann.user} may not grant the rights in Role reader in ${house.ns}, .*attempting to grant RBAC permissions not currently held`,
          's',
        ),
      );
      expect(await house.get({ apiVersion: RBAC, kind: 'Role' }, 'reader')).toBeUndefined();
      await applyAs(house, ann, [role(['configmaps']), binding]);
      await applied(house, 'web-v1');
      expect(await house.get({ apiVersion: RBAC, kind: 'RoleBinding' }, 'reader')).toBeDefined();
    });

    it('[design 8] lies where whoever requested it may write, whichever way it comes', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, robot, root } = peopleOf(house);
      const other = configMap('there', {}, `${house.ns}-other`);
      await applyAs(house, ann, [other]);
      expect(await refusal(house)).toContain(`may not create ConfigMap there in ${house.ns}-other`);
      const inner = {
        ...KINDS.application,
        metadata: { name: 'inner' },
        spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [other] } }] },
      };
      await applyAs(house, ann, [inner]);
      expect(await refusal(house)).toContain(`may not create ConfigMap there in ${house.ns}-other`);
      expect(await house.get(KINDS.application, 'inner')).toBeUndefined();
      await applyAs(house, root, [other]);
      await applied(house, 'web-v1');
      await applyAs(house, ann, [configMap('here', {})]);
      expect(await refusal(house)).toContain(`may not delete ConfigMap there in ${house.ns}-other`);
      expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'there', `${house.ns}-other`)).toBeDefined();
      await applyAs(house, robot, [configMap('kept', { by: 'git' })], 'synced');
      await applied(house, 'synced-v1', 'synced');
    });

    it('[issue 10.1] takes nothing away by naming it in an application in it, which would only read it', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const name = `read-${house.ns}`;
      const role = (of: string, rules: readonly object[]) => ({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: of }, rules });
      const reader = role(`reader-${house.ns}`, [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['get'] },
      ]);
      await house.cluster.create(reader as KubeObject);
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: reader.metadata.name };
      await house.cluster.create({ ...aGrant(house, ann.user), roleRef } as KubeObject);
      await applyAs(house, root, [role(name, [])]);
      await applied(house, 'web-v1');
      const components = [{ name: 'set', type: 'k8s-objects', properties: { objects: [role(name, [])] } }];
      const properties = { rules: [{ selector: { resourceTypes: ['ClusterRole'] } }] };
      const policies = [{ name: 'own', type: 'read-only', properties }];
      const inner = { ...KINDS.application, metadata: { name: 'inner' }, spec: { components, policies } };
      await applyAs(house, ann, [inner]);
      await house.until('it is held', async () => (await refusal(house)).includes(`${ann.user} may not delete ClusterRole ${name}`));
      expect(await house.get({ apiVersion: RBAC, kind: 'ClusterRole' }, name)).toBeDefined();
      await applyAs(house, root, [inner, configMap('plain', {})]);
      await house.until(
        'it goes for whoever may delete it',
        async () => (await house.get({ apiVersion: RBAC, kind: 'ClusterRole' }, name)) === undefined,
      );
    });

    it('[dispatch 13] is put back only for whoever may write it themselves, whatever client asks, and the answer is on record', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const at = { ...KINDS.application, namespace: house.ns, name: 'web' };
      const [mine, foreign] = [configMap('plain', { a: '1' }, house.ns), configMap('there', { a: '1' }, `${house.ns}-other`)];
      const components = [{ name: 'set', type: 'k8s-objects', properties: { objects: [mine, foreign] } }];
      const policies = [{ name: 'once', type: 'apply-once', properties: { enable: true } }];
      await house.cluster
        .as(root)
        .create({ ...KINDS.application, metadata: { name: 'web', namespace: house.ns }, spec: { components, policies } } as KubeObject);
      await applied(house, 'web-v1');
      for (const one of [mine, foreign]) await house.cluster.patch(toAddress(one), { type: 'merge', body: { data: { a: 'found' } } });

      const dataOf = async ({ metadata: { name, namespace } }: typeof mine) =>
        readString(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, name, namespace), 'data', 'a');
      const answers = () =>
        [...house.record.values()]
          .filter(({ action, about }) => action.startsWith('drift.put-back.') && about.namespace === house.ns)
          .map(({ message }) => message);
      const ask = async (object: KubeObject, forged: object = {}) => {
        const annotations = { [PUT_BACK.asked]: toObjectId(toAddress(object)), ...forged };
        const told = answers().length;
        const asked = await house.cluster.as(ann).patch(at, { type: 'merge', body: { metadata: { annotations } } });
        await house.until('it is answered', async () => answers().length > told && !isAsking(await house.cluster.get(at)));
        return { noted: asked.metadata.annotations?.[PUT_BACK.user], answer: answers().at(-1) };
      };
      const refused = await ask(foreign, { [PUT_BACK.user]: root.user, [PUT_BACK.groups]: 'system:masters' });
      expect(refused.noted).toBe(ann.user);
      expect(refused.answer).toContain(
        `was not reverted, although ${ann.user} requested it: ${ann.user} may not patch ConfigMap there in ${house.ns}-other`,
      );
      expect(await dataOf(foreign)).toBe('found');
      expect((await ask(mine)).answer).toContain(`was reverted at the request of ${ann.user}`);
      expect([await dataOf(mine), await dataOf(foreign)]).toEqual(['1', 'found']);
      const forgotten = (await house.cluster.get(at)).metadata.annotations ?? {};
      expect(Object.values(PUT_BACK).filter((name) => name in forgotten)).toEqual([]);
    });

    it('[design 13 A] bears the name of whoever changed the spec, which nobody can set or take away', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const at = { ...KINDS.application, namespace: house.ns, name: 'web' };
      const requester = async () => (await house.cluster.get(at)).metadata.annotations?.[BY];
      await applyAs(house, root, [configMap('plain', {})]);
      const note = (value: string | null) =>
        house.cluster
          .as(ann)
          .patch(at, { type: 'merge', body: { metadata: { annotations: { [BY]: value, 'slipway.dev/requested-by-groups': value } } } });
      await note('system:admin');
      expect(await requester()).toBe(root.user);
      await note(null);
      expect(await requester()).toBe(root.user);
      const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [configMap('plain', { a: 'x' })] } }] };
      const changed = await house.cluster.as(ann).patch(at, {
        type: 'merge',
        body: { metadata: { annotations: { [BY]: root.user, 'slipway.dev/requested-by-groups': 'system:masters' } }, spec },
      });
      expect(changed.metadata.annotations).toMatchObject({ [BY]: ann.user });
      expect(changed.metadata.annotations?.['slipway.dev/requested-by-groups']).not.toContain('system:masters');
    });

    it('[issue 9.4] bears the plan that somebody saw with their name, which nobody else can set, and not for any other spec', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const at = { ...KINDS.application, namespace: house.ns, name: 'web' };
      await applyAs(house, root, [configMap('plain', {})]);
      await applied(house, 'web-v1');
      const as = house.cluster.as(ann);
      const annotations = { [PLAN.seen]: 'sha256:of-another-spec', [PLAN.user]: root.user, [PLAN.groups]: 'system:masters' };
      const seen = await as.patch(at, { type: 'merge', body: { metadata: { annotations } } });
      expect(seen.metadata.annotations).toMatchObject({ [PLAN.seen]: 'sha256:of-another-spec', [PLAN.user]: ann.user });
      const forged = await house.cluster
        .as(root)
        .patch(at, { type: 'merge', body: { metadata: { annotations: { [PLAN.user]: root.user } } } });
      expect(forged.metadata.annotations?.[PLAN.user]).toBe(ann.user);
      const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [configMap('plain', { a: 'x' })] } }] };
      const changed = (await as.patch(at, { type: 'merge', body: { spec } })).metadata.annotations ?? {};
      expect(Object.values(PLAN).filter((name) => name in changed)).toEqual([]);
    });

    it('[design 13 A] rests on revisions that nobody but engines gives to another application, or takes away', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const as = house.cluster.as(ann);
      const grant = aGrant(house, `eve-${house.ns}`);
      await applyAs(house, ann, [configMap('plain', {})]);
      await applyAs(house, root, [grant], 'big');
      await applied(house, 'web-v1');
      await applied(house, 'big-v1', 'big');
      const { uid } = (await house.cluster.get({ ...KINDS.application, namespace: house.ns, name: 'web' })).metadata;
      const at = { ...KINDS.applicationRevision, namespace: house.ns, name: 'big-v1' };
      const change = (metadata: object) => as.patch(at, { type: 'merge', body: { metadata } });
      const refused = 'may not write ApplicationRevisions, which engines make';
      await expect(change({ ownerReferences: [{ ...KINDS.application, name: 'web', uid: uid ?? '' }] })).rejects.toThrow(refused);
      await expect(change({ labels: { 'app.oam.dev/name': 'web' } })).rejects.toThrow(refused);
      await expect(change({ annotations: { 'example.com/any': 'word' } })).rejects.toThrow(refused);
      await expect(as.delete(at)).rejects.toThrow(refused);
      await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'big' });
      await house.until('its revision went with it', async () => (await house.get(KINDS.applicationRevision, 'big-v1')) === undefined);
    });

    it('[design 13 A] bears its note whichever way it is written: status, another manager, a name from the server, an empty list of fields', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const as = house.cluster.as(ann);
      const at = { ...KINDS.application, namespace: house.ns, name: 'web' };
      const noteOf = ({ metadata }: KubeObject) => metadata.annotations?.[BY];
      const note = { [BY]: root.user, 'slipway.dev/requested-by-groups': 'system:masters' };
      await applyAs(house, root, [configMap('plain', {})]);
      await applied(house, 'web-v1');
      const requester = async () => noteOf(await house.cluster.get(at));
      const mine = { [BY]: ann.user };
      await as.patch(at, { type: 'merge', body: { metadata: { annotations: mine }, status: { status: 'x' } } }, { subresource: 'status' });
      expect(await requester()).toBe(root.user);
      await as.patch(at, { type: 'json', body: [{ op: 'add', path: '/metadata/annotations', value: mine }] });
      expect(await requester()).toBe(root.user);
      await as.patch(at, { type: 'merge', body: { metadata: { managedFields: [{}], annotations: mine } } });
      expect(await requester()).toBe(root.user);
      const applied2 = { ...KINDS.application, metadata: { name: 'web', namespace: house.ns, annotations: mine } };
      await as.patch(at, { type: 'apply', body: applied2 }, { fieldManager: 'other', force: true });
      expect(await requester()).toBe(root.user);
      const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [configMap('plain', { a: 'x' })] } }] };
      const made = await as.create({
        ...KINDS.application,
        metadata: { generateName: 'made-', namespace: house.ns, annotations: note },
        spec,
      } as KubeObject);
      expect(noteOf(made)).toBe(ann.user);
      expect(made.metadata.annotations?.['slipway.dev/requested-by-groups']).not.toContain('system:masters');
      const forced = { ...KINDS.application, metadata: { name: 'web', namespace: house.ns, annotations: note }, spec };
      expect(noteOf(await as.patch(at, { type: 'apply', body: forced }, { fieldManager: 'other', force: true, dryRun: true }))).toBe(
        ann.user,
      );
      expect(await requester()).toBe(root.user);
    });

    it('[design 13 A] rests on revisions that only engines write', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const as = house.cluster.as(peopleOf(house).ann);
      await expect(as.create(aRevision(house))).rejects.toThrow('may not write ApplicationRevisions, which engines make');
    });
  });
}
