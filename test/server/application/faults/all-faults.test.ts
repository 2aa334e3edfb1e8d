import { describe, expect, it } from 'vitest';
import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { allFaultsMessage, faultsIn, requireRenderable, withAllFaults } from '@/server/application/faults/all-faults';
import { parseApplication } from '@/server/application/spec/parse';

const applicationOf = (spec: object): KubeObject => ({ ...KINDS.application, metadata: { name: 'web', namespace: 'shop' }, spec });
const WEB = { name: 'web', type: 'webservice', properties: { image: 'web:1' } };

function refusalOf(spec: object): unknown {
  try {
    requireRenderable('kind' in spec ? (spec as KubeObject) : applicationOf(spec)); // only whole objects have a kind
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}

describe('an application with more than one fault', () => {
  const spec = {
    components: [
      { ...WEB, type: 'webservise', traits: [{ type: 'scaler', properties: { replicas: -1 } }] },
      { name: 'api', type: 'worker', properties: {} },
    ],
    policies: [{ name: 'staged', type: 'rollout', properties: { component: 'web', ratio: 0 } }],
  };

  it('[issue 14.3] is refused with a sentence for each, and names the object once', () => {
    const message = messageOf(refusalOf(spec));
    expect(message.match(/Application web in shop/g)).toHaveLength(1);
    expect(message.split('; ')).toEqual([
      'Application web in shop: spec.components[0].type must be one of webservice, worker, task, cron-task, k8s-objects, found "webservise"',
      'spec.components[0].traits[0].properties.replicas must be at least 0, found -1',
      'spec.components[1].properties.image must be a string, found nothing',
      'spec.policies[0].properties.ratio must be at least 1, found 0',
    ]);
  });

  it('[issue 14.3] tells that a policy names no component of it, whatever else of the policy is wrong', () => {
    const policies = [...spec.policies, { name: 'odd', type: 'rollout', properties: { component: 'nobody', ratio: 101 } }];
    const sentences = (of: object) => messageOf(refusalOf(of)).split('; ');
    const named = 'properties.component must name a component with a workload (web), found "nobody"';
    expect(sentences({ components: [WEB], policies: policies.slice(1) })).toEqual([
      'Application web in shop: spec.policies[0].properties.ratio must be at most 100, found 101',
      `spec.policies[0].${named}`,
    ]);
    expect(sentences({ ...spec, policies })).toContain(
      'spec.policies[1].properties.component must name a component with a workload (web, api), found "nobody"',
    );
    expect(sentences({ components: [WEB], policies: [{ ...policies[1], properties: { component: 'nobody' } }] })).toEqual([
      `Application web in shop: spec.policies[0].${named}`,
    ]);
  });

  it('[issue 14.3] tells of its name and namespace what no API server would take, and everything else as well', () => {
    const misnamed = { ...applicationOf(spec), metadata: { name: 'Web_1', namespace: 'sh.op' } };
    const faults = faultsIn(refusalOf(misnamed) as AppError);
    expect(faults.map(({ field }) => field)).toEqual([
      'spec.components[0].type',
      'metadata.name',
      'metadata.namespace',
      'spec.components[0].traits[0].properties.replicas',
      'spec.components[1].properties.image',
      'spec.policies[0].properties.ratio',
    ]);
    expect(faults[1]?.message).toBe(
      'Application Web_1 in sh.op: metadata.name must be a name of lower-case letters, digits, dashes and dots, found "Web_1"',
    );
    expect(faults.every(({ message }) => message.startsWith('Application Web_1 in sh.op: '))).toBe(true);
  });

  it.each(['Web', 'web_1', '-web', 'web-', 'web..a', '.web', `${'a'.repeat(254)}`])('[issue 14.3] refuses the name %s', (name) => {
    const misnamed = { ...applicationOf({ components: [WEB] }), metadata: { name, namespace: 'shop' } };
    expect(faultsIn(refusalOf(misnamed) as AppError).map(({ field }) => field)).toEqual(['metadata.name']);
  });

  it('[issue 14.3] takes every name that an API server takes', () => {
    for (const name of ['web', 'web.shop-1', '1', 'a'.repeat(60)])
      expect(requireRenderable({ ...applicationOf({ components: [WEB] }), metadata: { name, namespace: 'shop' } }).name).toBe(name);
  });

  it('[issue 14.3] tells each by itself with its field', () => {
    const error = refusalOf(spec);
    expect(isAppError(error) && faultsIn(error).map(({ field }) => field)).toEqual([
      'spec.components[0].type',
      'spec.components[0].traits[0].properties.replicas',
      'spec.components[1].properties.image',
      'spec.policies[0].properties.ratio',
    ]);
  });

  it('[issue 14.3] tells the same to whoever reads the status that the engine writes', () => {
    const object = applicationOf(spec);
    let thrown: unknown;
    try {
      parseApplication(object);
    } catch (error) {
      thrown = error;
    }
    expect(allFaultsMessage(thrown, object)).toBe(messageOf(refusalOf(spec)));
  });

  it('[issue 14.3] tells no more than twenty of them, and how many more there are', () => {
    const components = Array.from({ length: 60 }, (_, at) => ({ name: `c${at}`, type: 'worker', properties: {} }));
    const sentences = messageOf(refusalOf({ components })).split('; ');
    expect(sentences).toHaveLength(21);
    expect(sentences.at(-1)).toBe('and 1 more');
    const told = (count: number) => messageOf(refusalOf({ components: components.slice(0, count) })).split('; ');
    expect([told(20).length, told(20).at(-1)]).toEqual([20, expect.stringContaining('spec.components[19].properties.image')]);
    expect(told(21).at(-1)).toBe('and 1 more');
  });

  it.each(['worker', 'task', 'cron-task', 'webservice'])(
    '[issue 10.7] tells what is wrong with a trait of a %s that lacks what it needs',
    (type) => {
      const error = refusalOf({ components: [{ name: 'web', type, properties: {}, traits: [{ type: 'labels', properties: { a: 7 } }] }] });
      const fields = faultsIn(error as AppError).map(({ field }) => field);
      expect([fields.includes('spec.components[0].properties.image'), fields.at(-1)]).toEqual([
        true,
        'spec.components[0].traits[0].properties.a',
      ]);
    },
  );

  it('[issue 10.7] tells of parts that are nothing of the kind, and of the others', () => {
    const fields = faultsIn(refusalOf({ components: ['text', null, { name: 'api', type: 'worker', properties: {} }] }) as AppError);
    expect(fields.map(({ field }) => field)).toContain('spec.components[2].properties.image');
    const typed = { components: [{ ...WEB, type: 7, traits: [{ type: 'scaler', properties: { replicas: -1 } }] }] };
    expect(faultsIn(refusalOf(typed) as AppError).map(({ field }) => field)).toContain('spec.components[0].traits[0].properties.replicas');
  });

  it('[issue 10.7] is none of its own where something else failed', () => {
    const object = applicationOf(spec);
    for (const error of [new Error('the cluster is away'), new AppError('forbidden', 'ada may not')])
      expect([withAllFaults(error, object) === error, allFaultsMessage(error, object)]).toEqual([true, error.message]);
  });
});

describe('an application with thousands of parts', () => {
  const trait = { type: 'labels', properties: { team: 'a' } };
  const rolled = { name: 'staged', type: 'rollout', properties: { component: 'web', ratio: 0 } };
  const once = { name: 'once', type: 'apply-once', properties: {} };
  const sentencesOf = (traits: number, policies: readonly object[]) => {
    const noImage = { type: 'worker', properties: {} };
    const components = [
      { name: 'first', ...noImage },
      { ...WEB, traits: Array.from({ length: traits }, () => trait) },
      { name: 'last', ...noImage },
    ];
    return messageOf(refusalOf({ components, policies })).split('; ');
  };

  it('[issue 14.3] is looked at as far as one turn goes, and its policies in any case', () => {
    expect(sentencesOf(10, [rolled])).toHaveLength(3);
    expect(sentencesOf(600, [rolled]).map((sentence) => sentence.match(/spec[^ ]*/)?.[0])).toEqual([
      'spec.policies[0].properties.ratio',
      'spec.components[0].properties.image',
    ]);
  });

  it('[issue 14.3] has no more policies looked at than there can be', () => {
    const many = Array.from({ length: 5000 }, () => once);
    expect(sentencesOf(1, [...many, rolled]).filter((sentence) => sentence.includes('ratio'))).toEqual([]);
  });
});

describe('an application with one fault', () => {
  it.each([
    ['of the whole', { components: [WEB, WEB] }, 'spec.components[1].name must be unique, found "web" twice'],
    [
      'of a component',
      { components: [WEB, { name: 'api', type: 'worker', properties: {} }] },
      'spec.components[1].properties.image must be a string, found nothing',
    ],
    [
      'of a policy about all components',
      { components: [WEB, { ...WEB, name: 'api' }], policies: [{ name: 's', type: 'rollout', properties: {} }] },
      'must name the component to roll out',
    ],
    [
      'of a trait that names a container',
      { components: [{ ...WEB, traits: [{ type: 'env', properties: { containerName: 'side', env: { A: 'b' } } }] }] },
      'must name a container of the component, found "side"',
    ],
  ])('[issue 14.3] %s is told alone', (_what, spec, sentence) => {
    const message = messageOf(refusalOf(spec));
    expect(message).toContain(sentence);
    expect(message).not.toContain('; ');
  });

  it('[issue 10.7] is told as it was found where it is about the whole', () => {
    expect(refusalOf({ components: [WEB, WEB] })).not.toHaveProperty(['details', 'all']);
  });

  it('[issue 14.3] is none at all where it renders', () => {
    expect(requireRenderable(applicationOf({ components: [WEB] })).name).toBe('web');
  });
});
