import { readField, readList } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import { statusOf, textOf } from '../ask';
import { configMap, deployment } from '../objects';
import type { ContractCase } from '../scene';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

/** Asks a path by hand; the body is JSON where it can be. */
async function ask(
  cluster: Cluster,
  path: string,
  headers: Record<string, string> = { accept: 'application/json' },
  method = 'GET',
  sent?: string,
): Promise<Answer> {
  const { status, type, text } = await textOf(cluster, { method, path, headers, ...(sent === undefined ? {} : { body: sent }) });
  return { status, type, body: type === 'application/json' ? JSON.parse(text) : text };
}

// Where the words are those of a JSON library, or list formats that we do not speak.
const reasonOnly = ({ status, body }: Answer) => [status, readField(body, 'reason')];
const groupVersions = (body: unknown) =>
  readList(body, 'groups').map((group) => [readField(group, 'name'), readField(group, 'preferredVersion', 'groupVersion')]);
const SPINE = [
  'apps',
  'batch',
  'autoscaling',
  'policy',
  'networking.k8s.io',
  'discovery.k8s.io',
  'coordination.k8s.io',
  'rbac.authorization.k8s.io',
  'apiextensions.k8s.io',
];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

export const surface: readonly ContractCase[] = [
  {
    title: '[cluster H2] health, version and discovery, legacy and aggregated',
    async play({ cluster, note }) {
      for (const path of ['/healthz', '/livez', '/readyz']) await note(path, ask(cluster, path));
      await note(
        'version',
        ask(cluster, '/version').then(({ body }) =>
          Object.keys(body as object)
            .sort()
            .filter((key) => ['gitVersion', 'major', 'minor', 'platform'].includes(key)),
        ),
      );
      await note(
        'api',
        ask(cluster, '/api').then(({ body }) => [readField(body, 'kind'), readField(body, 'versions')]),
      );
      await note(
        'apis',
        ask(cluster, '/apis').then(({ body }) =>
          groupVersions(body)
            .filter(([name]) => SPINE.includes(String(name)))
            .sort(),
        ),
      );
      await note(
        'a group',
        ask(cluster, '/apis/apps').then(({ body }) => body),
      );
      const resources = async (path: string, names: readonly string[]) =>
        readList((await ask(cluster, path)).body, 'resources')
          .filter((resource) => names.includes(String(readField(resource, 'name'))))
          .map((resource) => ({ ...(resource as object), storageVersionHash: undefined }));
      await note('apps/v1', resources('/apis/apps/v1', ['deployments', 'deployments/status', 'deployments/scale', 'replicasets']));
      await note('v1', resources('/api/v1', ['pods', 'namespaces', 'configmaps', 'services', 'pods/log', 'serviceaccounts/token']));
      const aggregated = await ask(cluster, '/apis', { accept: AGGREGATED });
      const apps = readList(aggregated.body, 'items').find((item) => readField(item, 'metadata', 'name') === 'apps');
      const deployments = readList(apps, 'versions', 0, 'resources').find((resource) => readField(resource, 'resource') === 'deployments');
      await note('aggregated', [readField(aggregated.body, 'kind'), readField(aggregated.body, 'apiVersion'), deployments]);
    },
  },
  {
    title: '[cluster H4] whatever is asked wrongly is answered by a Status',
    async play({ cluster, ns, note }) {
      const here = `/api/v1/namespaces/${ns}`;
      await note(
        'unknown path',
        ask(cluster, '/nowhere').then(({ status }) => status),
      );
      await note(
        'unknown group',
        ask(cluster, '/apis/nowhere.io/v1/things').then(({ status }) => status),
      );
      await note('unknown resource', ask(cluster, `${here}/things`));
      await note('unknown subresource', ask(cluster, `${here}/configmaps/a/things`));
      await note('wrong method', ask(cluster, `${here}/configmaps/a`, undefined, 'POST', '{}'));
      await note('no JSON', ask(cluster, `${here}/configmaps`, { 'content-type': 'application/json' }, 'POST', '{').then(reasonOnly));
      await note(
        'another kind',
        ask(
          cluster,
          `${here}/configmaps`,
          { 'content-type': 'application/json' },
          'POST',
          JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
        ),
      );
      const later = JSON.stringify({ apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } });
      await note(
        'another version',
        ask(cluster, `${here}/configmaps`, { 'content-type': 'application/json' }, 'POST', later).then(({ status }) => status),
      );
      await note(
        'another namespace',
        ask(cluster, `${here}/configmaps`, { 'content-type': 'application/json' }, 'POST', JSON.stringify(configMap('elsewhere', 'a'))),
      );
      await note(
        'no kind',
        ask(cluster, `${here}/configmaps`, { 'content-type': 'application/json' }, 'POST', JSON.stringify({ metadata: { name: 'a' } })),
      );
      await note(
        'another name',
        ask(cluster, `${here}/configmaps/a`, { 'content-type': 'application/json' }, 'PUT', JSON.stringify(configMap(ns, 'b'))),
      );
      await note('unknown media type', ask(cluster, `${here}/configmaps`, { 'content-type': 'text/plain' }, 'POST', 'a').then(reasonOnly));
      await note(
        'unknown accepted type',
        ask(cluster, `${here}/configmaps`, { accept: 'image/png' }).then(({ status }) => status),
      );
    },
  },
  {
    title: '[cluster H4] numbers that are none, words that nobody knows, and nesting without end are refused, and change nothing',
    async play({ cluster, ns, note }) {
      const maps = `/api/v1/namespaces/${ns}/configmaps`;
      const json = { 'content-type': 'application/json' };
      await cluster.create(configMap(ns, 'a', { x: '1' }));
      for (const query of [
        'limit=abc',
        'limit=1e9',
        'limit=99999999999999999999',
        'timeoutSeconds=abc',
        'resourceVersion=99999999999999999999999',
      ])
        await note(query, ask(cluster, `${maps}?${query}`));
      await note('a watch', ask(cluster, `${maps}?watch=1&timeoutSeconds=1e300`));
      await note('a grace', ask(cluster, `${maps}/a?gracePeriodSeconds=abc`, json, 'DELETE'));
      await note('a grace in the body', ask(cluster, `${maps}/a`, json, 'DELETE', '{"gracePeriodSeconds":{"a":1}}').then(reasonOnly));
      const made = JSON.stringify(configMap(ns, 'b'));
      for (const query of ['dryRun=No', 'fieldValidation=Odd']) await note(query, ask(cluster, `${maps}?${query}`, json, 'POST', made));
      await note('dryRun of an update', ask(cluster, `${maps}/a?dryRun=No`, json, 'PUT', JSON.stringify(configMap(ns, 'a'))));
      await note(
        'metadata as a list',
        ask(cluster, maps, json, 'POST', '{"apiVersion":"v1","kind":"ConfigMap","metadata":[1]}').then(reasonOnly),
      );
      await note(
        'a number for a version',
        ask(cluster, maps, json, 'POST', '{"apiVersion":1,"kind":"ConfigMap","metadata":{"name":"b"}}').then(reasonOnly),
      );
      await note('a media type that is a word', ask(cluster, `${maps}/a`, { 'content-type': 'constructor' }, 'PATCH', '{}'));
      const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
      await note('a deep object', ask(cluster, maps, json, 'POST', `{"apiVersion":"v1","kind":"ConfigMap","x":${deep}}`).then(reasonOnly));
      await note('a deep merge patch', ask(cluster, `${maps}/a`, { 'content-type': 'application/merge-patch+json' }, 'PATCH', deep));
      await note(
        'a deep configuration',
        ask(cluster, `${maps}/a?fieldManager=a`, { 'content-type': 'application/apply-patch+yaml' }, 'PATCH', deep).then(reasonOnly),
      );
      await note('no URL', statusOf(cluster, { path: '/api/v1/namespaces/%zz/configmaps' }));
      await note(
        'words of a prototype',
        cluster.create(configMap(ns, 'c', { constructor: 'c', hasOwnProperty: 'h' })).then(({ data }) => data),
      );
      await note(
        'left as it was',
        cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: ns, name: 'a' }).then(({ data }) => data),
      );
    },
  },
  {
    title: '[cluster H3] YAML bodies, tables and bare metadata',
    async play({ cluster, ns, note }) {
      const here = `/api/v1/namespaces/${ns}`;
      const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {ours: "yes"}\ndata:\n  x: "1"\n`;
      await note('YAML', ask(cluster, `${here}/configmaps`, { 'content-type': 'application/yaml' }, 'POST', yaml));
      await cluster.create(deployment(ns, 'web', { replicas: 0, paused: true }));
      const table = async (path: string) => {
        const { body } = await ask(cluster, path, { accept: TABLE });
        const columns = readList(body, 'columnDefinitions').map((column) => [
          readField(column, 'name'),
          readField(column, 'type'),
          readField(column, 'format'),
          readField(column, 'priority'),
        ]);
        const rows = readList(body, 'rows').map((row) =>
          readList(row, 'cells')
            .slice(0, -1)
            .filter((cell) => typeof cell !== 'string' || !/^\d+[smh]/.test(cell)),
        );
        return { kind: readField(body, 'kind'), apiVersion: readField(body, 'apiVersion'), columns, rows };
      };
      await note('table of config maps', table(`${here}/configmaps?labelSelector=ours`));
      await note('table of deployments', table(`/apis/apps/v1/namespaces/${ns}/deployments`));
      await note(
        'bare metadata',
        ask(cluster, `${here}/configmaps?labelSelector=ours`, { accept: PARTIAL_LIST }).then(({ body }) => [
          readField(body, 'kind'),
          readField(body, 'apiVersion'),
          readField(body, 'items'),
        ]),
      );
    },
  },
];
