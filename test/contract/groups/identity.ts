import { readField, readFields } from '@/lib/kube/fields';
import type { Cluster, Person } from '@/server/kube';
import { statusOf } from '../ask';
import { CONFIG_MAP, configMap, DEPLOYMENT } from '../objects';
import type { ContractCase, Scene } from '../scene';

const RBAC = 'rbac.authorization.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';
const person = (id: string, groups: readonly string[] = []): Person => ({ user: `mallory-${id}`, groups });

type Rule = { apiGroups?: string[]; resources?: string[]; verbs: string[]; resourceNames?: string[]; nonResourceURLs?: string[] };

/** Lets a subject do what the rules say within the scene's namespace. */
async function grant({ cluster, ns }: Scene, subject: object, rules: readonly Rule[], name = 'role'): Promise<void> {
  await cluster.create({ apiVersion: RBAC, kind: 'Role', metadata: { namespace: ns, name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  await cluster.create({ apiVersion: RBAC, kind: 'RoleBinding', metadata: { namespace: ns, name }, subjects: [subject], roleRef });
}

const user = (id: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `mallory-${id}` });

/** Rights are read from a cache of the server that follows a moment later. */
async function untilAllowed({ until }: Scene, as: Cluster, namespace: string): Promise<void> {
  await until('the right is known', () =>
    as.get({ ...CONFIG_MAP, namespace, name: 'probe' }).then(
      () => true,
      (error: Error) => error.message.includes('not found'),
    ),
  );
}

async function mayI(as: Cluster, attributes: object): Promise<unknown> {
  const answer = await as.create({ apiVersion: AUTHORIZATION, kind: 'SelfSubjectAccessReview', metadata: {}, spec: attributes });
  return readField(answer, 'status', 'allowed');
}

export const identity: readonly ContractCase[] = [
  {
    title: '[cluster A2] who may nothing is told so, for each verb',
    async play({ cluster, ns, id, note }) {
      const nobody = cluster.as(person(id));
      const at = { ...CONFIG_MAP, namespace: ns, name: 'a' };
      await note('get', nobody.get(at));
      await note('create', nobody.create(configMap(ns, 'a')));
      await note('update', nobody.update(configMap(ns, 'a')));
      await note('patch', nobody.patch(at, { type: 'merge', body: {} }));
      await note('delete', nobody.delete(at));
      await note('collection', nobody.deleteCollection({ ...CONFIG_MAP, namespace: ns }));
      await note('list', firstOf(nobody.list({ ...CONFIG_MAP, namespace: ns })));
      await note('list everywhere', firstOf(nobody.list(CONFIG_MAP)));
      await note('watch', firstOf(nobody.watch({ ...CONFIG_MAP, namespace: ns }, { timeoutSeconds: 1 })));
      await note('group kind', nobody.get({ ...DEPLOYMENT, namespace: ns, name: 'a' }));
      await note('subresource', nobody.get({ ...DEPLOYMENT, namespace: ns, name: 'a' }, { subresource: 'scale' }));
      await note('cluster kind', nobody.get({ apiVersion: 'v1', kind: 'Node', name: 'a' }));
      await note('path', statusOf(nobody, { path: '/metrics' }));
      await note('open path', statusOf(nobody, { path: '/version' }));
    },
  },
  {
    title: '[cluster A2] roles allow exactly what they name',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      const as = cluster.as(person(id));
      await cluster.create(configMap(ns, 'mine'));
      await grant(scene, user(id), [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['patch', 'delete'] },
        { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['*'] },
      ]);
      await untilAllowed(scene, as, ns);
      const brief = (outcome: Promise<{ metadata: { name?: string } }>) => outcome.then((object) => object.metadata.name ?? 'done');
      await note('get', brief(as.get({ ...CONFIG_MAP, namespace: ns, name: 'mine' })));
      await note('create', brief(as.create(configMap(ns, 'other'))));
      await note('patch the named', brief(as.patch({ ...CONFIG_MAP, namespace: ns, name: 'mine' }, { type: 'merge', body: {} })));
      await note('patch another', brief(as.patch({ ...CONFIG_MAP, namespace: ns, name: 'other' }, { type: 'merge', body: {} })));
      await note('list', firstOf(as.list({ ...CONFIG_MAP, namespace: ns })));
      await note('elsewhere', brief(as.get({ ...CONFIG_MAP, namespace: 'default', name: 'mine' })));
      await note('scale', as.get({ ...DEPLOYMENT, namespace: ns, name: 'nobody' }, { subresource: 'scale' }));
      await note('the whole', as.get({ ...DEPLOYMENT, namespace: ns, name: 'nobody' }));
      await note(
        'delete the named',
        as.delete({ ...CONFIG_MAP, namespace: ns, name: 'mine' }).then((status) => status.kind),
      );
    },
  },
  {
    title: '[cluster A2] groups, service accounts and the default roles',
    async play(scene) {
      const { cluster, ns, id, note, until } = scene;
      const bind = (name: string, subject: object, role: string) =>
        cluster.create({
          apiVersion: RBAC,
          kind: 'RoleBinding',
          metadata: { namespace: ns, name },
          subjects: [subject],
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        });
      await bind('group', { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `g-${id}` }, 'edit');
      await bind('account', { kind: 'ServiceAccount', name: 'robot', namespace: ns }, 'view');
      const editor = cluster.as(person(id, [`g-${id}`]));
      const robot = cluster.as({ user: `system:serviceaccount:${ns}:robot`, groups: [] });
      for (const as of [editor, robot]) await untilAllowed(scene, as, ns);
      const configMaps = { namespace: ns, resource: 'configmaps' };
      const secrets = { namespace: ns, resource: 'secrets' };
      for (const [title, as] of [
        ['editor', editor],
        ['robot', robot],
        ['nobody', cluster.as(person(id))],
      ] as const) {
        for (const verb of ['get', 'create', 'delete'])
          await note(`${title} ${verb} config maps`, mayI(as, { resourceAttributes: { ...configMaps, verb } }));
        await note(`${title} get secrets`, mayI(as, { resourceAttributes: { ...secrets, verb: 'get' } }));
        await note(
          `${title} deployments`,
          mayI(as, { resourceAttributes: { namespace: ns, verb: 'patch', group: 'apps', resource: 'deployments' } }),
        );
        await note(
          `${title} scale`,
          mayI(as, { resourceAttributes: { namespace: ns, verb: 'update', group: 'apps', resource: 'deployments', subresource: 'scale' } }),
        );
        await note(
          `${title} roles`,
          mayI(as, { resourceAttributes: { namespace: ns, verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles' } }),
        );
        await note(`${title} elsewhere`, mayI(as, { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'configmaps' } }));
        await note(`${title} version`, mayI(as, { nonResourceAttributes: { path: '/version', verb: 'get' } }));
        await note(`${title} metrics`, mayI(as, { nonResourceAttributes: { path: '/metrics', verb: 'get' } }));
      }
      await until(
        'the admin is known',
        async () => (await mayI(cluster, { resourceAttributes: { verb: '*', group: '*', resource: '*' } })) === true,
      );
      await note('admin', mayI(cluster, { resourceAttributes: { verb: '*', group: '*', resource: '*' } }));
    },
  },
  {
    title: '[cluster A2] acting for another needs the right to',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: ns, name: 'robot' } };
      await cluster.create(account);
      const token = await tokenOf(cluster, ns);
      const ask = (headers: Record<string, string>) =>
        statusOf(cluster.as({ user: 'robot', groups: [], token }), { path: `/api/v1/namespaces/${ns}/configmaps`, headers });
      await note('headers of a caller are dropped', ask({ 'Impersonate-User': 'admin' }));
      await note('groups without a user', statusOf(cluster, { path: '/version', headers: {} }));
      await note(
        'with uid and extra',
        cluster
          .as({ ...person(id, ['a', 'b']), uid: 'u-1', extra: { 'example.com/team': ['x', 'y'] } })
          .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} })
          .then((object) => readField(object, 'status', 'userInfo')),
      );
    },
  },
  {
    title: '[cluster A1] a service account token names its account; a bad one is refused',
    async play({ cluster, ns, note }) {
      await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: ns, name: 'robot' } });
      const token = await tokenOf(cluster, ns);
      const robot = cluster.as({ user: 'robot', groups: [], token });
      const self = await robot.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} });
      const { username, groups } = readFields(self, 'status', 'userInfo');
      await note('self', { username, groups });
      await note('what it may not', robot.get({ ...CONFIG_MAP, namespace: ns, name: 'a' }));
      const review = (text: string) =>
        cluster.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token: text } });
      const good = readFields(await review(token), 'status');
      await note('review', {
        authenticated: good.authenticated,
        username: readField(good, 'user', 'username'),
        groups: readField(good, 'user', 'groups'),
      });
      const bad = readFields(await review('nonsense'), 'status');
      await note('review of nonsense', { authenticated: bad.authenticated ?? false, told: typeof bad.error === 'string', user: bad.user });
      await note('nonsense', cluster.as({ user: 'x', groups: [], token: 'nonsense' }).get({ ...CONFIG_MAP, namespace: ns, name: 'a' }));
    },
  },
  {
    title: '[cluster A3] access reviews for others, and the rules of oneself',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      await grant(scene, user(id), [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      await untilAllowed(scene, cluster.as(person(id)), ns);
      const review = async (kind: string, spec: object, metadata = {}) =>
        readField(await cluster.create({ apiVersion: AUTHORIZATION, kind, metadata, spec } as never), 'status', 'allowed');
      const attributes = (verb: string) => ({ user: `mallory-${id}`, resourceAttributes: { namespace: ns, verb, resource: 'configmaps' } });
      await note('subject', review('SubjectAccessReview', attributes('get')));
      await note('subject not', review('SubjectAccessReview', attributes('delete')));
      await note('local', review('LocalSubjectAccessReview', attributes('get'), { namespace: ns }));
      await note('nobody named', review('SubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'pods' } }));
      await note('nothing asked', review('SubjectAccessReview', { user: 'x' }));
      await note('local of another namespace', review('LocalSubjectAccessReview', { ...attributes('get') }, { namespace: 'default' }));
      const rules = await cluster
        .as(person(id))
        .create({ apiVersion: AUTHORIZATION, kind: 'SelfSubjectRulesReview', metadata: {}, spec: { namespace: ns } });
      const own = (readField(rules, 'status', 'resourceRules') as { resources?: string[] }[]).filter(({ resources }) =>
        resources?.includes('configmaps'),
      );
      await note('rules', own);
    },
  },
];

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<string> {
  for await (const _item of items) return 'something';
  return 'nothing';
}

async function tokenOf(cluster: Cluster, namespace: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { namespace, name: 'robot' }, spec: {} };
  const answer = await cluster.create(request, { subresource: 'token', parent: { apiVersion: 'v1', kind: 'ServiceAccount' } });
  return String(readField(answer, 'status', 'token'));
}
