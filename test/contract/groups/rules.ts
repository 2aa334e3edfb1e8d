import { textOf } from '../ask';
import type { ContractCase } from '../scene';
import { crd, version, withCrd } from './custom-resources';

const PORTS = {
  type: 'array',
  maxItems: 3,
  items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' }, protocol: { type: 'string', maxLength: 10 } } },
};
const RULES: readonly (readonly [rule: string, message?: string])[] = [
  [
    "!has(self.ports) || self.ports.size() == 0 || !has(self.ports[0].protocol) || self.ports[0].protocol != 'BAD'",
    'the first port is bad',
  ],
  ['!has(self.ports) || self.ports.all(p, has(p.protocol) || p.port > 1)'],
  ['!has(self.tags) || self.tags.isSorted()', 'tags are sorted'],
  ['!has(self.tags) || self.tags.all(t, !isIP(t))', 'no addresses'],
  ["!has(self.when) || self.when > timestamp('2000-01-01T00:00:00Z')", 'no past'],
  ["!has(self.wait) || self.wait < duration('1h')", 'no long waits'],
  ["!has(self.dash__dash__ed) || self.dash__dash__ed != 'x'", 'not x'],
  ['!has(self.numbers) || self.numbers.sum() < 10 && self.numbers.max() < 9'],
  ['!has(self.label) || !format.dns1123Label().validate(self.label).hasValue()', 'label is a label'],
  ["self.?either.orValue('a') == 'a'", 'either is a'],
  ["!has(self.label) || self.label.find('[0-9]+') == ''", 'no digits'],
  ['self.count > 0', 'counts'],
];
const SCHEMA = {
  type: 'object',
  properties: {
    ports: PORTS,
    tags: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 20 } },
    when: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    'dash-ed': { type: 'string', maxLength: 10 },
    numbers: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    label: { type: 'string', maxLength: 10 },
    either: { type: 'string', maxLength: 10 },
    count: { type: 'integer' },
    whole: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    one: {
      type: 'object',
      properties: { x: { type: 'string' }, y: { type: 'string' } },
      oneOf: [{ required: ['x'] }, { required: ['y'] }],
    },
    code: { type: 'string', minLength: 3, maxLength: 10, pattern: '^[a-z]+$' },
    inner: { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'integer' } } },
  },
  required: ['late'],
  'x-kubernetes-validations': RULES.map(([rule, message]) => ({ rule, ...(message ? { message } : {}) })),
};
const SPECS: readonly object[] = [
  { ports: [{ port: 2, protocol: 'TCP' }] },
  { ports: [{ port: 1, protocol: 'BAD' }] },
  { ports: [{ port: 1 }] },
  { tags: ['b', 'a'] },
  { tags: ['10.0.0.1'] },
  { tags: ['a', 'b'] },
  { when: '1999-01-01T00:00:00Z' },
  { when: '2001-01-01T00:00:00Z' },
  { when: 'yesterday' },
  { wait: '90m' },
  { wait: '5m' },
  { 'dash-ed': 'x' },
  { 'dash-ed': 'y' },
  { numbers: [1, 2, 3] },
  { numbers: [0] },
  { numbers: [] },
  { label: 'Upper' },
  { label: 'a1' },
  { label: 'a' },
  { either: 'b' },
  { count: undefined },
  { whole: {} },
  { whole: { apiVersion: 'v1', kind: 'X', more: 1 } },
  { one: {} },
  { one: { x: '1', y: '2' } },
  { one: { y: '2' } },
  { code: 'A' },
  { code: 'ABC' },
  { late: undefined, inner: { b: 'x' } },
  { late: undefined, inner: {} },
  { label: null },
];

/** What schemas and rules of custom kinds refuse and let pass. */
export const rules: readonly ContractCase[] = [
  {
    title: '[cluster X3] rules ask for members of what an index gives, and use the functions of the API server',
    async play(scene) {
      const { cluster, id, note } = scene;
      const spec = { ...SCHEMA, properties: { ...SCHEMA.properties, late: { type: 'boolean' } } };
      await withCrd(scene, crd(id, [version('v1', {}, spec)]), async (make) => {
        for (const [at, more] of SPECS.entries()) {
          await note(
            JSON.stringify(more),
            cluster.create(make(`w${at}`, { late: true, count: 1, ...more }), { dryRun: true }).then(({ spec: said }) => said),
          );
        }
      });
    },
  },
  {
    title: '[cluster X1] an object of another version or kind is refused, each in its own way',
    async play(scene) {
      const { cluster, id, ns, note } = scene;
      await withCrd(scene, crd(id, [version('v1')]), async (make) => {
        const send = async (step: string, body: object) => {
          const request = {
            method: 'POST',
            path: `/apis/${id}.example/v1/namespaces/${ns}/widgets?dryRun=All`,
            headers: { 'content-type': 'application/json' },
          };
          await note(
            step,
            textOf(cluster, { ...request, body: JSON.stringify(body) }).then(({ status, text }) => ({
              status,
              body: JSON.parse(text) as unknown,
            })),
          );
        };
        await send('another version', { ...make('a', { size: 1 }), apiVersion: `${id}.example/v2` });
        await send('another group', { ...make('a', { size: 1 }), apiVersion: 'apps/v1' });
        const { metadata, ...unnamed } = make('a', { size: 1 });
        await note(
          'without a version on update',
          cluster.create({ ...unnamed, metadata }).then(() => cluster.update(make('a', { size: 2 }))),
        );
      });
    },
  },
];
