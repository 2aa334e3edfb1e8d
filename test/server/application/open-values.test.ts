import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { parseApplication } from '@/server/application';

const CANARY = 'c4nary';
const holding = (...objects: readonly unknown[]) => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: 'shop' },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});
const secret = (members: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, ...members });
const reference = { valueFrom: { secretKeyRef: { name: 'web-values-1', key: 'a' } } };
const AT = 'Application web in shop: spec.components[0].properties.objects[0]';

/** Of an application with this object, and of one with that application in it. */
function expectRefused(object: object, sentence: string): void {
  expect(() => parseApplication(holding(object))).toThrow(`${AT}${sentence}`);
  expect(() => parseApplication(holding(holding(object)))).toThrow(`${AT}.spec.components[0].properties.objects[0]${sentence}`);
  expect(() => parseApplication(holding(object))).not.toThrow(CANARY);
}

describe('[issue 10.1] a value that would stay in the application, where everyone who may read it reads it, is refused', () => {
  it.each(['stringdata', 'Data', 'value'])('under %s, which no Secret has', (member) => {
    expectRefused(secret({ [member]: { a: CANARY } }), ` has "${member}", which no Secret has; values belong in data or stringData`);
  });

  it.each([
    ['a string', CANARY],
    ['a list', [CANARY]],
    ['a number', 5],
  ])('in a Secret whose data is %s', (_what, held) => {
    expectRefused(secret({ data: held }), '.data must be a map of values by their keys');
    expectRefused({ ...secret({ stringData: held }), kind: 'secret' }, '.stringData must be a map of values by their keys');
  });

  it.each([
    ['a map', { password: CANARY }],
    ['a reference with something beside it', { ...reference, password: CANARY }],
    ['a reference with something in it', { valueFrom: { ...reference.valueFrom, password: CANARY } }],
    ['a reference with something beside its key', { valueFrom: { secretKeyRef: { name: 'web-values-1', key: 'a', optional: true } } }],
    ['a reference without a name', { valueFrom: { secretKeyRef: { key: 'a' } } }],
    ['a reference without a key', { valueFrom: { secretKeyRef: { name: 'web-values-1' } } }],
    ['a reference to something else', { valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } }],
  ])('as %s in place of a value', (_what, value) => {
    expectRefused(secret({ stringData: { a: 'x', b: value } }), '.stringData.b must be a string, or a reference with name and key only');
  });

  it.each([
    ['Pod', 'v1', (spec: object) => spec, 'spec'],
    ['Deployment', 'apps/v1', (spec: object) => ({ template: { spec } }), 'spec.template.spec'],
    ['CronJob', 'batch/v1', (spec: object) => ({ jobTemplate: { spec: { template: { spec } } } }), 'spec.jobTemplate.spec.template.spec'],
  ])('as a variable of a plain %s that says it is sensitive', (kind, apiVersion, around, path) => {
    const workload = (member: string, variable: object) => ({
      ...{ apiVersion, kind, metadata: { name: 'a' } },
      spec: around({ [member]: [{ name: 'one' }, { name: 'two', env: [{ name: 'OPEN', value: 'x' }, variable] }] }),
    });
    for (const member of ['containers', 'initContainers', 'ephemeralContainers'])
      expectRefused(
        workload(member, { name: 'PASSWORD', sensitive: true, value: CANARY }),
        `.${path}.${member}[1].env[1] must not be marked sensitive`,
      );
    const first = { ...KINDS.deployment, metadata: { name: 'a' }, containers: [{ env: [{ name: 'P', sensitive: true, value: CANARY }] }] };
    expectRefused(first, '.containers[0].env[0] must not be marked sensitive');
    const taken = [
      workload('containers', { name: 'PASSWORD', ...reference }),
      workload('containers', { name: 'PASSWORD', sensitive: true, ...reference }),
      workload('others', { name: 'P', sensitive: true, value: 'x' }),
    ];
    expect(parseApplication(holding(...taken)).name).toBe('web');
  });

  it('and what is no object at all is left to whoever makes objects of it, who names it as that', () => {
    const list = [{ containers: [{ env: [{ name: 'P', sensitive: true, value: CANARY }] }] }];
    expect(parseApplication(holding(null, 'x', list, holding(null, list))).name).toBe('web');
  });

  it('and one where Secrets have theirs is taken, as is what other kinds call by these names', () => {
    const taken = [
      secret({ type: 'Opaque', immutable: true, data: { a: 'YQ==', b: reference, c: null }, stringData: { d: CANARY } }),
      secret({ data: null, stringData: undefined }),
      { apiVersion: 'example.com/v1', kind: 'Secret', metadata: { name: 'a' }, password: { a: 1 } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { stringdata: 'x' }, value: [1] },
      { apiVersion: 'tf.example.com/v1', kind: 'Workspace', spec: { containers: [{ env: [{ name: 'a', sensitive: true, value: 'x' }] }] } },
    ];
    expect(parseApplication(holding(...taken)).name).toBe('web');
    const variable = { name: 'PASSWORD', sensitive: true, value: CANARY };
    const component = { name: 'front', type: 'webservice', properties: { image: 'web:1', env: [variable] } };
    expect(parseApplication({ ...holding(), spec: { components: [component] } }).name).toBe('web');
  });
});
