import { readField, readList } from '@/lib/kube/fields';
import { textOf } from '../ask';
import { CONFIG_MAP, configMap, DEPLOYMENT, deployment } from '../objects';
import type { ContractCase, Scene } from '../scene';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const SWAGGER = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** Asks by hand and gives code, reason and, where the words are not those of a JSON library, what is said. */
async function ask(
  scene: Scene,
  request: { readonly method?: string; readonly path: string; readonly type?: string; readonly body?: string },
  words = true,
) {
  const { type, ...rest } = request;
  const { status, text } = await textOf(scene.cluster, {
    ...rest,
    headers: { accept: 'application/json', ...(type ? { 'content-type': type } : {}) },
  });
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  return { status, reason: readField(body, 'reason'), ...(words ? { message: readField(body, 'message') } : {}) };
}

export const requests: readonly ContractCase[] = [
  {
    title: '[cluster W3] what a patch makes unreadable or nameless is its own fault',
    async play(scene) {
      const { cluster, ns, note } = scene;
      await cluster.create(configMap(ns, 'p', { a: '1' }));
      const path = `/api/v1/namespaces/${ns}/configmaps/p`;
      const send = (type: string, body: unknown, words: boolean) =>
        ask(scene, { method: 'PATCH', path, type, body: JSON.stringify(body) }, words);
      for (const body of [{ data: { n: 5 } }, { kind: 'Secret' }, { apiVersion: 'v2' }])
        await note(`merge ${JSON.stringify(body)}`, send(MERGE, body, false));
      for (const body of [{ metadata: null }, null, []]) await note(`merge ${JSON.stringify(body)}`, send(MERGE, body, true));
      for (const body of [null, [], 5, { $patch: 'bogus' }, { $patch: 'replace', data: { q: '1' } }]) {
        await note(`strategic ${JSON.stringify(body)}`, send(STRATEGIC, body, true));
      }
      for (const operation of [
        { op: 'add', path: '', value: {} },
        { op: 'remove', path: '/metadata/name' },
        { op: 'add', path: '/data/b', value: 5 },
      ]) {
        await note(`json ${JSON.stringify(operation)}`, send(JSON_PATCH, [operation], false));
      }
      const strict = { method: 'PATCH', path: `${path}?fieldValidation=Strict`, type: STRATEGIC, body: '{"bogus":1}' };
      await note('strict', ask(scene, strict, false)); // in process secrets of a patch are not repeated
      await note('after all', cluster.get({ ...CONFIG_MAP, namespace: ns, name: 'p' }));
    },
  },
  {
    title: '[cluster W3] what a patch adds without an order comes before what it left',
    async play({ cluster, ns, note }) {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const made = deployment(ns, 'ordered', { replicas: 0, paused: true });
      const template = { metadata: { labels: { app: 'ordered' } }, spec: { containers: [{ name: 'main', image: 'web:1', env }] } };
      await cluster.create({ ...made, spec: { ...(made.spec as object), template } });
      const changed = [
        { name: 'A', $patch: 'delete' },
        { name: 'C', value: '3' },
      ];
      const body = { spec: { template: { spec: { containers: [{ name: 'main', env: changed }] } } } };
      const patched = cluster.patch({ ...DEPLOYMENT, namespace: ns, name: 'ordered' }, { type: 'strategic', body });
      await note(
        'env',
        patched.then((object) => readField(object, 'spec', 'template', 'spec', 'containers', 0, 'env')),
      );
    },
  },
  {
    title: '[cluster W2] the generation of a Deployment counts annotations, not labels; its controller writes with the status only',
    async play({ cluster, ns, until, note, read }) {
      const at = { ...DEPLOYMENT, namespace: ns, name: 'web' };
      await cluster.create(deployment(ns, 'web', { replicas: 1 }), { fieldManager: 'me' });
      await until('it is there', async () => readField(await read(DEPLOYMENT, 'web'), 'status', 'availableReplicas') === 1);
      const facts = async () => {
        const { metadata } = await read(DEPLOYMENT, 'web');
        const managers = readList(metadata, 'managedFields').map((entry) => [
          readField(entry, 'manager'),
          readField(entry, 'operation'),
          readField(entry, 'subresource') ?? '',
        ]);
        return { generation: metadata.generation, managers: managers.map((entry) => entry.join('/')).sort() };
      };
      await note('rolled out', facts());
      await cluster.patch(at, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } }, { fieldManager: 'me' });
      await note('a label', facts());
      await cluster.patch(at, { type: 'merge', body: { metadata: { annotations: { a: 'b' } } } }, { fieldManager: 'me' });
      await note('an annotation', facts());
      await cluster.patch(
        at,
        { type: 'merge', body: { metadata: { annotations: { c: 'd' }, labels: { e: 'f' } } } },
        { fieldManager: 'me', subresource: 'status' },
      );
      const { labels, annotations } = (await read(DEPLOYMENT, 'web')).metadata;
      await note('with the status', Promise.resolve({ labels, annotations }));
    },
  },
  {
    title: '[cluster H4] flags and methods that mean nothing where they are',
    async play(scene) {
      const { cluster, ns, note } = scene;
      await cluster.create(configMap(ns, 'a'));
      await cluster.create(deployment(ns, 'd', { replicas: 0, paused: true }));
      const maps = `/api/v1/namespaces/${ns}/configmaps`;
      for (const query of [
        'labelSelector=n%3Ex',
        'sendInitialEvents=true',
        'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
        'watch=1&continue=x',
        'limit=x',
      ]) {
        await note(query, ask(scene, { path: `${maps}?${query}` }));
      }
      await note('a version that is none', ask(scene, { path: `${maps}/a?resourceVersion=x` }));
      for (const below of ['status', 'scale']) {
        await note(`delete ${below}`, ask(scene, { method: 'DELETE', path: `/apis/apps/v1/namespaces/${ns}/deployments/d/${below}` }));
      }
      const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
      const rows = async (include: string) => {
        const { status, text } = await textOf(cluster, {
          path: `${maps}?includeObject=${include}&fieldSelector=metadata.name=a`,
          headers: table,
        });
        const body: unknown = JSON.parse(text);
        return {
          status,
          message: readField(body, 'message'),
          objects: readList(body, 'rows').map((row) => readField(row, 'object') === null),
        };
      };
      for (const include of ['None', 'Bogus']) await note(`rows with ${include}`, rows(include));
    },
  },
  {
    title: '[cluster A2] roles and bindings that say nothing are refused; an account of no namespace is one of its binding',
    async play({ cluster, ns, note, until }) {
      const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
      const role = (name: string, rules: unknown) => ({ ...rbac, kind: 'Role', metadata: { namespace: ns, name }, rules });
      const binding = (name: string, roleRef: object, subjects: readonly object[]) => ({
        ...rbac,
        kind: 'RoleBinding',
        metadata: { namespace: ns, name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', name: 'reader', ...roleRef },
        subjects,
      });
      const rules = [{ apiGroups: [''], resources: ['x'] }, { verbs: ['get'] }, { nonResourceURLs: ['/x'], verbs: ['get'] }];
      await note('a role that grants nothing', cluster.create(role('empty', rules)));
      await cluster.create(role('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]));
      await note('to nobody known', cluster.create(binding('bad', { kind: 'Bogus' }, [{ kind: 'Robot', name: 'x' }, { kind: 'User' }])));
      await note('to an account', cluster.create(binding('good', { kind: 'Role' }, [{ kind: 'ServiceAccount', name: 'default' }])));
      const spec = {
        user: `system:serviceaccount:${ns}:default`,
        resourceAttributes: { namespace: ns, verb: 'get', resource: 'configmaps' },
      };
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
      const may = async () => readField(await cluster.create(review), 'status', 'allowed');
      // An API server hears of bindings by a watch.
      await until('the account may', async () => (await may()) === true);
      await note('the account may', may());
    },
  },
  {
    title: '[cluster H2] the second version of the schemas is had in protobuf, and in nothing unknown',
    async play({ cluster, note }) {
      const kindOf = async (accept: string) => {
        const { status, type, text } = await textOf(cluster, { path: '/openapi/v2', headers: { accept } });
        return { status, type, speaksOfDeployments: text.includes('io.k8s.api.apps.v1.Deployment'), isJson: text.startsWith('{') };
      };
      for (const accept of [SWAGGER, 'application/json', 'application/octet-stream']) await note(accept, kindOf(accept));
    },
  },
  {
    title: '[cluster H2] the second version of a definition’s schema names nothing of what is open, and leaves out what it cannot say',
    async play({ cluster, ns, note, until }) {
      const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const group = `${ns}.example.com`;
      const define = (kind: string, schema: object) =>
        cluster.create({
          ...DEFINITION,
          metadata: { name: `${kind.toLowerCase()}s.${group}` },
          spec: {
            group,
            scope: 'Namespaced',
            names: { kind, plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), listKind: `${kind}List` },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } } }],
          },
        });
      await define('Open', { ...free, properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } });
      const b = { properties: { b: { type: 'string' } } };
      const properties = {
        open: { ...free, ...b, description: 'anything', required: ['b'] },
        list: { type: 'array', items: { ...free, ...b } },
        maybe: { type: 'string', nullable: true, description: 'or nothing', maxLength: 5 },
        map: { type: 'object', additionalProperties: { type: 'object', nullable: true, ...b } },
        both: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        word: { type: 'string', enum: ['a', 'b'], default: 'a', minLength: 1 },
        one: { type: 'object', oneOf: [{ required: ['b'] }], ...b },
      };
      await define('Nest', { properties: { spec: { type: 'object', properties } } });
      const schemas = async () => {
        const { text } = await textOf(cluster, { path: '/openapi/v2', headers: { accept: 'application/json' } });
        const all = Object.entries((JSON.parse(text) as { readonly definitions: object }).definitions);
        return Object.fromEntries(
          all.flatMap(([name, of]) =>
            name.includes(ns) && /[.](?:Open|Nest)$/.test(name) ? [[name.split('.').at(-1) ?? '', of as unknown]] : [],
          ),
        );
      };
      try {
        await until('both are told', async () => Object.keys(await schemas()).length === 2);
        const { Open, Nest } = await schemas();
        await note('what is open', { ...(Open as object) });
        await note('what is in it', readField(Nest, 'properties', 'spec'));
      } finally {
        for (const plural of ['opens', 'nests']) await cluster.delete({ ...DEFINITION, name: `${plural}.${group}` });
      }
    },
  },
];
