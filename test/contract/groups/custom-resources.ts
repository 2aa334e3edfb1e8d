import { readField, readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { statusOf } from '../ask';
import { CRD } from '../objects';
import type { ContractCase, Scene } from '../scene';

const WIDGET = 'Widget';

const SPEC_SCHEMA = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    code: { type: 'string', pattern: '^[a-z]+$', maxLength: 4 },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    port: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }] },
    range: {
      type: 'object',
      properties: { min: { type: 'integer' }, max: { type: 'integer' } },
      'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min must not be above max' }],
    },
  },
};

/** A version of the kind, by the schema of its spec. */
export function version(name: string, more: object = {}, spec: object = SPEC_SCHEMA) {
  return {
    name,
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec, status: { type: 'object', properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' } } } },
      },
    },
    ...more,
  };
}

/** The definition of the kind in a group of its own. */
export function crd(id: string, versions: readonly object[], more: object = {}): KubeObject {
  const group = `${id}.example`;
  const names = {
    kind: WIDGET,
    plural: 'widgets',
    singular: 'widget',
    listKind: 'WidgetList',
    shortNames: [`wd${id}`],
    categories: ['all'],
  };
  return { ...CRD, metadata: { name: `widgets.${group}` }, spec: { group, scope: 'Namespaced', names, versions, ...more } };
}

/** Installs the definition, plays with its kind and takes it away again. */
export async function withCrd(
  scene: Scene,
  definition: KubeObject,
  play: (make: (name: string, spec: unknown, more?: object) => KubeObject) => Promise<void>,
): Promise<void> {
  const { cluster, ns, id, until } = scene;
  await cluster.create(definition);
  const type = { apiVersion: `${id}.example/v1`, kind: WIDGET };
  // Served and listed are two things, and each version comes by itself.
  const wanted = readList(definition, 'spec', 'versions').flatMap((one) =>
    readField(one, 'served') === true ? String(readField(one, 'name')) : [],
  );
  const isServed = async () => {
    cluster.discovery.invalidate();
    const listed = (await cluster.discovery.all())
      .filter(({ group, kind }) => group === `${id}.example` && kind === WIDGET)
      .map(({ version }) => version);
    if (!wanted.every((version) => listed.includes(version))) return false;
    const answers = await Promise.all(
      wanted.map((version) => statusOf(cluster, { path: `/apis/${id}.example/${version}/namespaces/${ns}/widgets` })),
    );
    return answers.every((status) => status === 200);
  };
  try {
    await until('the kind is served', isServed);
    await play((name, spec, more = {}) => ({ ...type, metadata: { namespace: ns, name }, spec, ...more }) as KubeObject);
  } finally {
    await cluster.delete({ ...CRD, name: definition.metadata.name ?? '' });
  }
}

const INVALID: readonly (readonly [string, unknown])[] = [
  ['no spec member', {}],
  ['spec of another type', 'text'],
  ['too small', { size: 0 }],
  ['too large', { size: 11 }],
  ['text for a number', { size: 'one' }],
  ['fraction for an integer', { size: 1.5 }],
  ['outside the enum', { size: 1, colour: 'green' }],
  ['outside the pattern', { size: 1, code: 'A1' }],
  ['too long', { size: 1, code: 'abcde' }],
  ['too many', { size: 1, tags: ['a', 'b', 'c'] }],
  ['member of another type', { size: 1, tags: ['a', 2] }],
  ['neither int nor string', { size: 1, port: true }],
  ['nothing where nothing is allowed', { size: null }],
  ['double key', { size: 1, parts: [{ name: 'a' }, { name: 'a' }] }],
  ['a key that is missing', { size: 1, parts: [{ count: 2 }] }],
  ['value of a map', { size: 1, labels: { a: 1 } }],
  ['a rule that is broken', { size: 1, range: { min: 3, max: 2 } }],
];

export const customResources: readonly ContractCase[] = [
  {
    // Of a kind whose history began later than the server's: a server that has just started remembers its first version of any other.
    title: '[cluster R4] a watch from a version that nobody remembers',
    async play(scene) {
      const { id, ns, note, events } = scene;
      const widgets = { apiVersion: `${id}.example/v1`, kind: WIDGET, namespace: ns };
      await withCrd(scene, crd(id, [version('v1')]), () =>
        note('long ago', events(widgets, 1, { resourceVersion: '1' })).then(() => undefined),
      );
    },
  },
  {
    title: '[cluster X1] a definition is accepted, served, listed in discovery, and goes with its objects',
    async play(scene) {
      const { cluster, id, note, until } = scene;
      const at = { ...CRD, name: `widgets.${id}.example` };
      await withCrd(
        scene,
        crd(id, [version('v1', { subresources: { status: {} } }), version('v2', { storage: false, served: false })]),
        async (make) => {
          const served = await cluster.get(at);
          const { conditions, ...status } = served.status as {
            conditions: { type: string; status: string; reason: string; message: string }[];
          };
          await note('spec', served.spec);
          await note('status', status);
          await note(
            'conditions',
            conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
          );
          await note(
            'discovery',
            (await cluster.discovery.all()).filter(({ group }) => group === `${id}.example`),
          );
          await note('an object', cluster.create(make('a', { size: 1 })));
        },
      );
      await until('it is gone', () =>
        cluster.get(at).then(
          () => false,
          () => true,
        ),
      );
      await until(
        'its path is gone',
        async () => (await statusOf(cluster, { path: `/apis/${id}.example/v1/namespaces/${scene.ns}/widgets` })) === 404,
      );
      await note('gone', cluster.get(at));
    },
  },
  {
    title: '[cluster X1] definitions that are none are refused',
    async play({ cluster, id, note }) {
      await note('wrong name', cluster.create({ ...crd(id, [version('v1')]), metadata: { name: `gadgets.${id}.example` } }));
      await note('no schema', cluster.create(crd(id, [{ name: 'v1', served: true, storage: true }])));
      await note('no storage', cluster.create(crd(id, [version('v1', { storage: false })])));
      await note('two storages', cluster.create(crd(id, [version('v1'), version('v2')])));
      await note('no scope', cluster.create(crd(id, [version('v1')], { scope: undefined })));
      const loose = { openAPIV3Schema: { type: 'object', properties: { spec: { properties: { a: { type: 'string' } } } } } };
      await note('schema without a type', cluster.create(crd(id, [version('v1', { schema: loose })])));
    },
  },
  {
    title: '[cluster X2] objects are completed and pruned by their schema',
    async play(scene) {
      const { cluster, id, note } = scene;
      await withCrd(scene, crd(id, [version('v1')]), async (make) => {
        await note('defaults', cluster.create(make('a', { size: 1, parts: [{ name: 'a' }, { name: 'b', count: 5 }] })));
        await note(
          'unknown members',
          cluster.create(
            make('b', { size: 1, what: 'ever', free: { any: { thing: [1] } }, parts: [{ name: 'a', odd: 1 }] }, { top: 'level' }),
          ),
        );
        await note(
          'int or string',
          cluster.create(make('c', { size: 1, port: 80 })).then((object) => object.spec),
        );
        await note(
          'or string',
          cluster.create(make('d', { size: 1, port: 'http' })).then((object) => object.spec),
        );
        await note(
          'null where allowed',
          cluster.create(make('e', { size: 1, maybe: null })).then((object) => object.spec),
        );
        await note(
          'null where a default is',
          cluster.create(make('f', { size: 1, colour: null })).then((object) => object.spec),
        );
        await note('strictly', cluster.create(make('g', { size: 1, what: 'ever' }), { fieldValidation: 'Strict' }));
        const warnings: string[] = [];
        await note(
          'with a warning',
          cluster
            .create(make('h', { size: 1, what: 'ever' }), { fieldValidation: 'Warn', onWarning: (text) => warnings.push(text) })
            .then((object) => object.spec),
        );
        await note('warnings', warnings);
      });
    },
  },
  {
    title: '[cluster X2] objects that do not fit are refused with the field and the reason',
    async play(scene) {
      const { cluster, id, note } = scene;
      await withCrd(scene, crd(id, [version('v1')]), async (make) => {
        for (const [title, spec] of INVALID) await note(title, cluster.create(make('x', spec)));
        await cluster.create(make('ok', { size: 1 }));
        const at = { apiVersion: `${id}.example/v1`, kind: WIDGET, namespace: scene.ns, name: 'ok' };
        await note('by a patch', cluster.patch(at, { type: 'merge', body: { spec: { size: 99 } } }));
        await note('strategic patches are not for these', cluster.patch(at, { type: 'strategic', body: {} }));
      });
    },
  },
  {
    title: '[cluster X3] a rule on the old value holds on updates only',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      await withCrd(scene, crd(id, [version('v1')]), async (make) => {
        await cluster.create(make('a', { size: 1, fixed: 'one' }));
        const at = { apiVersion: `${id}.example/v1`, kind: WIDGET, namespace: ns, name: 'a' };
        const spec = (body: object) => cluster.patch(at, { type: 'merge', body: { spec: body } }).then((object) => object.spec);
        await note('the same', spec({ fixed: 'one', size: 2 }));
        await note('another', spec({ fixed: 'two' }));
        await note('removed', spec({ fixed: null }));
        await note('set anew', spec({ fixed: 'three' }));
        await note('a range', spec({ range: { min: 1, max: 2 } }));
        await note('a broken range', spec({ range: { max: 0 } }));
      });
    },
  },
  {
    title: '[cluster X4] without the status subresource status is plain data and generation counts all',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      await withCrd(scene, crd(id, [version('v1')]), async (make) => {
        await note('created', cluster.create(make('a', { size: 1 }, { status: { ready: true } })));
        const at = { apiVersion: `${id}.example/v1`, kind: WIDGET, namespace: ns, name: 'a' };
        await note(
          'patched',
          cluster
            .patch(at, { type: 'merge', body: { status: { ready: false } } })
            .then((object) => [object.metadata.generation, object.status]),
        );
        await note(
          'label',
          cluster.patch(at, { type: 'merge', body: { metadata: { labels: { x: '1' } } } }).then((object) => object.metadata.generation),
        );
        await note('subresource', cluster.patch(at, { type: 'merge', body: {} }, { subresource: 'status' }));
      });
    },
  },
  {
    title: '[cluster X4] status and scale subresources',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' };
      await withCrd(scene, crd(id, [version('v1', { subresources: { status: {}, scale } })]), async (make) => {
        await note('created with a status', cluster.create(make('a', { size: 1 }, { status: { ready: true } })));
        const at = { apiVersion: `${id}.example/v1`, kind: WIDGET, namespace: ns, name: 'a' };
        const merge = (body: object, subresource?: string) =>
          cluster.patch(at, { type: 'merge', body }, subresource ? { subresource } : {});
        await note(
          'patched beside it',
          merge({ status: { ready: true } }).then((object) => object.status ?? null),
        );
        await note(
          'status',
          merge({ spec: { size: 5 }, metadata: { labels: { x: '1' } }, status: { ready: true, replicas: 3 } }, 'status').then(
            ({ spec, status, metadata }) => [spec, status, metadata.labels ?? null, metadata.generation],
          ),
        );
        await note('bad status', merge({ status: { ready: 'yes' } }, 'status'));
        await note(
          'spec',
          merge({ spec: { size: 2 } }).then((object) => object.metadata.generation),
        );
        await note('scale', cluster.get(at, { subresource: 'scale' }));
        await note('scaled', merge({ spec: { replicas: 4 } }, 'scale'));
        await note(
          'spec after scaling',
          cluster.get(at).then((object) => [object.spec, object.metadata.generation]),
        );
        await note('scaled too far', merge({ spec: { replicas: 40 } }, 'scale'));
      });
    },
  },
  {
    title: '[cluster X1] versions are served as declared, stored once',
    async play(scene) {
      const { cluster, ns, id, note } = scene;
      await withCrd(scene, crd(id, [version('v1'), version('v2', { storage: false })]), async (make) => {
        await cluster.create(make('a', { size: 1 }));
        const at = { kind: WIDGET, namespace: ns, name: 'a' };
        await note(
          'by the other version',
          cluster.get({ ...at, apiVersion: `${id}.example/v2` }).then((object) => object.apiVersion),
        );
        await note(
          'written by the other version',
          cluster
            .patch({ ...at, apiVersion: `${id}.example/v2` }, { type: 'merge', body: { spec: { size: 2 } } })
            .then((object) => [object.apiVersion, object.metadata.generation]),
        );
        await note(
          'stored versions',
          cluster.get({ ...CRD, name: `widgets.${id}.example` }).then((object) => readList(object, 'status', 'storedVersions')),
        );
        const list: unknown[] = [];
        for await (const page of cluster.list({ apiVersion: `${id}.example/v2`, kind: WIDGET, namespace: ns }))
          list.push(...page.items.map((item) => item.apiVersion));
        await note('list', list);
      });
    },
  },
  {
    title: '[cluster X1] what is stored is read as the present schema has it, and comes back with its own unless it was written meanwhile',
    async play(scene) {
      const { cluster, ns, id, note, until, read } = scene;
      const first = version('v1', { subresources: { status: {} } });
      await withCrd(scene, crd(id, [first]), async (make) => {
        const { apiVersion } = await cluster.create(make('a', { size: 1, colour: 'blue', tags: ['t'] }));
        const type = { apiVersion, kind: WIDGET };
        const at = { ...type, namespace: ns, name: 'a' };
        await cluster.patch(at, { type: 'merge', body: { status: { ready: true } } }, { subresource: 'status' });
        const [one] = await scene.all(type);
        const version = one?.metadata.resourceVersion;
        const watch = cluster.watch({ ...type, namespace: ns }, { resourceVersion: version ?? '' });
        const told = (async () => {
          let events = 0;
          for await (const _ of watch) events++;
          return events;
        })();
        const { size, colour: _colour, ...others } = SPEC_SCHEMA.properties;
        const spec = { ...SPEC_SCHEMA, properties: { size, ...others, mode: { type: 'string', default: 'slow' } } };
        const properties = { spec, status: { type: 'object' } };
        const second = { ...first, schema: { openAPIV3Schema: { type: 'object', properties } } };
        const redefine = async (as: object, isRead: (object: KubeObject) => boolean) => {
          const name = `widgets.${id}.example`;
          const { metadata } = await cluster.get({ ...CRD, name });
          await cluster.update({ ...crd(id, [as]), metadata });
          await until('the schema is in force', async () => isRead(await read(type, 'a')));
        };
        const isSecond = (object: KubeObject) => readField(object, 'spec', 'colour') === undefined;
        const said = ({ spec, status, metadata }: KubeObject) => [
          spec,
          status ?? null,
          metadata.generation,
          metadata.resourceVersion === version,
        ];
        await redefine(second, isSecond);
        await note('under the second', read(type, 'a').then(said));
        await note(
          'listed',
          scene.all(type).then((all) => all.map(said)),
        );
        await note('events until the watch ended', told);
        await redefine(first, (object) => !isSecond(object));
        await note('under the first again', read(type, 'a').then(said));
        await redefine(second, isSecond);
        await cluster.patch(at, { type: 'merge', body: { metadata: { labels: { x: '1' } } } });
        await note('labelled', read(type, 'a').then(said));
        await redefine(first, (object) => readField(object, 'spec', 'mode') === undefined);
        await note('under the first after that', read(type, 'a').then(said));
      });
    },
  },
];
