import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { render } from '@/server/application';
import { applicationSchema } from '@/server/application/spec/application-schema';
import { parseApplication, rolledOutComponent } from '@/server/application/spec/parse';
import { isAbout, isAppliedOnce, manifestPolicy, parsePolicies } from '@/server/application/spec/policies';
import { refusal } from './rendered';
import { configMap, holding } from './seen';

const PLACE = { object: 'Application web in shop', path: [] };
const policies = (...given: readonly unknown[]) => parsePolicies(given, PLACE);
const named = (name: string): KubeObject => ({ ...configMap(name), metadata: { name } });
const about = (resourceNames: readonly string[]) => ({ rules: [{ selector: { resourceNames } }] });

describe('the policies of an application', () => {
  it('[dispatch 13] hold nothing that nobody wrote', () => {
    expect(policies()).toEqual({
      rollout: undefined,
      garbage: { keepLegacyResource: false, continueOnFailure: false },
      applyOnce: { enable: false },
      takeOver: [],
      readOnly: [],
    });
    expect(isAppliedOnce(policies({ type: 'apply-once' }))).toBe(false);
  });

  it('[dispatch 13] are what was written, each about what it selects', () => {
    const given = policies(
      {
        type: 'garbage-collect',
        properties: {
          applicationRevisionLimit: 0,
          keepLegacyResource: true,
          continueOnFailure: true,
          order: 'dependency',
          rules: [
            { selector: { resourceNames: ['a'] }, strategy: 'never' },
            { selector: { resourceNames: ['b'] }, propagation: 'orphan' },
          ],
        },
      },
      { type: 'take-over', properties: about(['a']) },
      { type: 'read-only', properties: about(['b']) },
    );
    expect(given.garbage).toMatchObject({
      applicationRevisionLimit: 0,
      keepLegacyResource: true,
      continueOnFailure: true,
      order: 'dependency',
      rules: [{ strategy: 'never' }, { strategy: 'onAppUpdate', propagation: 'orphan' }],
    });
    expect([isAbout(given.takeOver, named('a')), isAbout(given.takeOver, named('b')), isAbout([], named('a'))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(manifestPolicy(given, named('a'), 'onUpdate')).toEqual({ readOnly: false, skipGC: true });
    expect(manifestPolicy(given, named('b'), 'onUpdate')).toEqual({ readOnly: true, skipGC: false });
  });

  it.each([
    ['onUpdate', [true, false]],
    ['onStateKeep', [false, true]],
    ['always', [true, true]],
    [undefined, [true, true]],
  ])('[dispatch 13] keep by apply-once on the occasion %s', (affect, kept) => {
    const rules = [{ selector: { resourceNames: ['a'] }, strategy: { path: ['data'], ...(affect ? { affect } : {}) } }];
    const keeps = (enable: boolean, name: string) =>
      (['onUpdate', 'onStateKeep'] as const).map(
        (occasion) => 'keep' in manifestPolicy(policies({ type: 'apply-once', properties: { enable, rules } }), named(name), occasion),
      );
    expect([keeps(true, 'a'), keeps(true, 'b'), keeps(false, 'a')]).toEqual([kept, [false, false], [false, false]]);
    expect(isAppliedOnce(policies({ type: 'apply-once', properties: { enable: true, rules } }))).toBe(false);
    expect(isAppliedOnce(policies({ type: 'apply-once', properties: { enable: true, rules: [] } }))).toBe(true);
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'of no such type',
      [{ type: 'toString' }],
      'type must be one of rollout, garbage-collect, apply-once, take-over, read-only, found "toString"',
    ],
    ['twice', [{ type: 'read-only' }, { type: 'read-only' }], 'spec.policies[1] is a second read-only policy; an application may have one'],
    ['of a rollout twice', [{ type: 'rollout' }, { type: 'rollout' }], 'is a second rollout policy; an application may have one'],
    [
      'with a limit below nothing',
      [{ type: 'garbage-collect', properties: { applicationRevisionLimit: -1 } }],
      'applicationRevisionLimit must be at least 0, found -1',
    ],
    [
      'with another strategy',
      [{ type: 'garbage-collect', properties: { rules: [{ selector: {}, strategy: 'sometimes' }] } }],
      'must be "never" or "onAppUpdate" or "onAppDelete"',
    ],
    [
      'with another propagation',
      [{ type: 'garbage-collect', properties: { rules: [{ selector: {}, propagation: 'x' }] } }],
      'must be "orphan" or "cascading"',
    ],
    ['with another order', [{ type: 'garbage-collect', properties: { order: 'x' } }], 'order must be "dependency"'],
    [
      'that keeps nothing',
      [{ type: 'apply-once', properties: { rules: [{ selector: {}, strategy: { path: [] } }] } }],
      'path must have at least 1 member',
    ],
    [
      'that keeps no name',
      [{ type: 'apply-once', properties: { rules: [{ selector: {}, strategy: { path: [''] } }] } }],
      'must have at least 1 character',
    ],
    [
      'that keeps on another occasion',
      [{ type: 'apply-once', properties: { rules: [{ selector: {}, strategy: { path: ['a'], affect: 'x' } }] } }],
      'must be "onUpdate" or "onStateKeep" or "always"',
    ],
    [
      'with an unknown member',
      [{ type: 'read-only', properties: { rule: [] } }],
      'has "rule", which is unknown here; a read-only policy has rules',
    ],
    [
      'with an unknown member of a selector',
      [{ type: 'take-over', properties: { rules: [{ selector: { names: [] } }] } }],
      'has "names", which is unknown here',
    ],
    ['without a type', [{}], 'type must be a string, found nothing'],
  ])('[dispatch 13] are refused: %s', (_what, given, sentence) => {
    expect(refusal(() => policies(...given))).toContain(sentence);
  });
});

describe('the component that is rolled out', () => {
  const of = (components: readonly object[], rollout: object = { type: 'rollout' }) =>
    rolledOutComponent({
      ...KINDS.application,
      metadata: { name: 'web', namespace: 'shop' },
      spec: { components, policies: [rollout] },
    });
  const [web, worker, task] = [
    { name: 'web', type: 'webservice' },
    { name: 'jobs', type: 'worker' },
    { name: 'seed', type: 'task' },
  ];

  it('[rollout 13] is the only one with a workload, or the one that is named, and none where that cannot be told', () => {
    expect([of([web, task]), of([worker])]).toEqual(['web', 'jobs']);
    expect(rolledOutComponent({ ...KINDS.application, metadata: { name: 'web' }, spec: { components: [web] } })).toBeUndefined();
    expect(of([web, worker], { type: 'rollout', properties: { component: 'jobs' } })).toBe('jobs');
    for (const rollout of [{ type: 'rollout' }, { type: 'rollout', properties: { component: 'seed' } }, { type: 'none' }])
      expect(of([web, worker, task], rollout)).toBeUndefined();
    expect([of([]), of([{}]), of([{ name: 'x', type: 'toString' }])]).toEqual([undefined, undefined, undefined]);
  });

  it('[issue 10.7] is not told of an application in which none has a workload, and what is wrong names application and field', () => {
    const objects = holding([configMap('a')], { rollout: {} });
    expect(refusal(() => parseApplication(objects))).toBe(
      'Application web in shop: spec.policies[0].properties.component must name the component to roll out, since there are 0: none has a workload',
    );
    const long = holding([{ ...configMap('a'), data: { a: 2n ** 60n } }]);
    expect(() => parseApplication(long)).toThrow(
      expect.objectContaining({ details: { field: 'spec.components[0].properties.objects[0].data.a' } }),
    );
  });
});

describe('the names of an application', () => {
  it.each<[object, string]>([
    [{ name: '' }, 'metadata needs a name and a namespace'],
    [{ namespace: '' }, 'metadata needs a name and a namespace'],
    [{ name: 'Web' }, 'metadata.name must be a name of lower-case letters, digits, dashes and dots'],
    [{ name: 'a'.repeat(254) }, 'metadata.name must have at most 253 characters'],
  ])('[design 12] are such as the API server takes: %o', (metadata, sentence) => {
    expect(refusal(() => parseApplication(holding([configMap('a')], {}, metadata)))).toContain(sentence);
  });
});

describe('the objects of an application', () => {
  const object = (apiVersion: string, kind: string, more: object = {}) => ({ apiVersion, kind, metadata: { name: 'x' }, ...more });
  const rendered = (objects: readonly object[]) => render(parseApplication(holding(objects)), 'web-v1', { revisionHash: 'h' });
  const told = (...objects: readonly object[]) => refusal(() => parseApplication(holding(objects)));
  const own = 'which no application may contain: the server manages that kind itself';

  it('[design 8] are none of the kinds that the server writes by itself', () => {
    const theirs = [KINDS.stageDecision, KINDS.rolloutOrchestrator, KINDS.resourceTracker, KINDS.applicationRevision];
    for (const { apiVersion, kind } of theirs)
      expect(told(named('a'), object(apiVersion, kind)), kind).toContain(`objects[1] is ${kind} of ${apiVersion}, ${own}`);
    for (const [apiVersion, kind] of [
      ['v1', 'ResourceTracker'],
      ['core.oam.dev/v1beta1', 'Workload'],
      ['example.com/v1', 'StageDecision'],
    ] as const)
      expect(told(object(apiVersion, kind)), kind).toBe('it was accepted');
    const inner = { ...holding([object('v1', 'SecretList', { items: [] })]), metadata: { name: 'inner' } };
    expect(told(inner)).toContain('is a list of objects (SecretList), which cannot be applied');
  });

  it('[issue 10.1] are no lists of objects, whoever’s kind ends so', () => {
    for (const list of [object('v1', 'List'), object('v1', 'SecretList'), object('apps/v1', 'DeploymentList', { items: [] })])
      expect(told(list)).toContain('is a list of objects');
    for (const other of [object('example.com/v1', 'Wishlist'), object('v1', 'Lister'), object('example.com/v1', 'Other', { items: [] })])
      expect(told(other)).toBe('it was accepted');
  });

  it('[design 12] are objects, with what each of them needs', () => {
    for (const [objects, sentence] of [
      [[{ ...object('v1', 'ConfigMap'), metadata: {} }], 'metadata.name must be a string, found nothing'],
      [[object('', 'ConfigMap')], 'apiVersion must have at least 1 character'],
      [[object('v1', '')], 'kind must have at least 1 character'],
      [[{ ...object('v1', 'ConfigMap'), metadata: { name: 'x', namespace: 7 } }], 'metadata.namespace must be a string, found 7'],
      [[{ ...object('v1', 'ConfigMap'), status: {} }], 'status is set by the cluster and cannot be applied'],
      [['text'], 'objects[0] must be an object'],
      [[], 'objects must have at least 1 member'],
      [[{ apiVersion: '', kind: '', metadata: { name: '' } }], 'apiVersion must have at least 1 character'],
    ] as const)
      expect(refusal(() => rendered(objects as readonly object[]))).toContain(sentence);
    const more = { name: 'set', type: 'k8s-objects', properties: { objects: [object('v1', 'ConfigMap')], size: 3 } };
    expect(
      refusal(() => render(parseApplication({ ...holding([]), spec: { components: [more] } }), 'web-v1', { revisionHash: 'h' })),
    ).toContain('has "size", which is unknown here');
  });
});

describe('the schema that editors read', () => {
  it('[issue 11] knows every part by the schema that checks it, with a sentence for each', () => {
    const schema = applicationSchema() as {
      readonly properties: Record<string, Record<string, unknown>>;
      readonly $defs: { readonly trait: { readonly oneOf: readonly Part[] } };
      readonly required: readonly string[];
      readonly $schema: string;
    };
    interface Part {
      readonly description: string;
      readonly required: readonly string[];
      readonly additionalProperties: boolean;
      readonly properties: Record<string, Record<string, unknown>>;
    }
    expect([schema.$schema, schema.required]).toEqual([
      'https://json-schema.org/draft/2020-12/schema',
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ]);
    const { apiVersion, kind, metadata, spec } = schema.properties;
    expect([apiVersion, kind]).toMatchObject([
      { const: KINDS.application.apiVersion, description: expect.any(String) },
      { const: 'Application', description: expect.any(String) },
    ]);
    const name = { type: 'string', maxLength: 63, description: expect.any(String) };
    const words = { type: 'object', additionalProperties: { type: 'string' }, description: expect.any(String) };
    expect(metadata).toMatchObject({
      type: 'object',
      required: ['name', 'namespace'],
      properties: { name, namespace: name, labels: words, annotations: words },
    });
    expect(spec).toMatchObject({
      ...{ type: 'object', required: ['components'], additionalProperties: false },
      properties: {
        components: { type: 'array', minItems: 1, description: expect.any(String) },
        policies: { type: 'array', description: expect.any(String) },
      },
    });
    const { components, policies: listed } = (spec?.properties ?? {}) as Record<
      string,
      { readonly items: { readonly oneOf: readonly Part[] } }
    >;
    const parts = { component: components?.items.oneOf ?? [], policy: listed?.items.oneOf ?? [], trait: schema.$defs.trait.oneOf };
    expect(Object.values(parts).map((of) => of.map(({ properties }) => properties.type?.const))).toEqual([
      ['webservice', 'worker', 'task', 'cron-task', 'k8s-objects'],
      ['rollout', 'garbage-collect', 'apply-once', 'take-over', 'read-only'],
      ['scaler', 'hpa', 'expose', 'gateway', 'labels', 'annotations', 'env', 'resource'],
    ]);
    for (const [of, all] of Object.entries(parts))
      for (const one of all) {
        expect(one).toMatchObject({
          description: expect.any(String),
          additionalProperties: false,
          required: of === 'component' ? ['name', 'type'] : ['type'],
        });
        expect('name' in one.properties).toBe(of !== 'trait');
        expect(one.properties.properties).toMatchObject({ description: expect.any(String) });
        expect(one.properties.properties).not.toHaveProperty('$schema');
      }
    const [web] = parts.component;
    expect(web?.properties).toMatchObject({
      name,
      traits: { type: 'array', items: { $ref: '#/$defs/trait' } },
      type: { const: 'webservice', description: 'Type of the component.' },
    });
    expect(web?.properties.properties).toMatchObject({
      properties: { image: { type: 'string', description: 'Container image to run, with its tag or digest.' } },
    });
    expect(applicationSchema()).toBe(applicationSchema());
  });
});
