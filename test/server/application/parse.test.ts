import { describe, expect, it } from 'vitest';
import { isAppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication, render } from '@/server/application';

const application = (components: object[], policies: object[] = [], metadata: object = {}): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'shopfront', namespace: 'shop', uid: 'u1', ...metadata },
  spec: { components, policies },
});
const web = (properties: object = {}, traits: object[] = []) => ({
  name: 'web',
  type: 'webservice',
  properties: { image: 'web:1', ...properties },
  traits,
});
const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
const refusal = (object: KubeObject): string => {
  try {
    render(parseApplication(object), 'shopfront-v1', { revisionHash: 'h' });
  } catch (error) {
    if (isAppError(error)) return messageOf(error);
    throw error;
  }
  return 'it was accepted';
};

describe('what is refused', () => {
  const at = 'Application shopfront in shop: ';
  it.each<[string, KubeObject, string]>([
    [
      'an unknown component type',
      application([{ name: 'web', type: 'helm' }]),
      `${at}spec.components[0].type must be one of webservice, worker, task, cron-task, k8s-objects, found "helm"`,
    ],
    [
      'an unknown trait',
      application([web({}, [{ type: 'sidecar' }])]),
      `${at}spec.components[0].traits[0].type must be one of scaler, hpa, expose, gateway, labels, annotations, env, resource, found "sidecar"`,
    ],
    [
      'what another client stored without end',
      application([web({ deep: nested(3000) })]),
      `${at}spec must not be nested deeper than 500 levels`,
    ],
    [
      'a whole number that another client stored, and that is not kept exactly',
      application([web({ ports: [{ port: 80 }, { port: 9007199254740993n }] })]),
      `${at}spec.components[0].properties.ports[1].port must not be a whole number beyond 2^53, which is not stored exactly; write it in quotes, or use a smaller one`,
    ],
    [
      'a missing image',
      application([{ name: 'web', type: 'webservice' }]),
      `${at}spec.components[0].properties.image must be a string, found nothing`,
    ],
    [
      'a misspelt trait parameter',
      application([web({}, [{ type: 'scaler', properties: { replica: 2 } }])]),
      `${at}spec.components[0].traits[0].properties has "replica", which is unknown here; a scaler has replicas`,
    ],
    [
      'a member of a component',
      application([{ ...web(), dependsOn: ['db'] }]),
      `${at}spec.components[0] has "dependsOn", which is unknown here`,
    ],
    [
      'a workflow',
      { ...application([web()]), spec: { components: [web()], workflow: {} } },
      `${at}spec has "workflow", which is unknown here; an Application has components, policies`,
    ],
    [
      'a name that no object can have',
      application([{ ...web(), name: 'Web' }]),
      `${at}spec.components[0].name must be a name of lower-case letters, digits and dashes, found "Web"`,
    ],
    ['two components of one name', application([web(), web()]), `${at}spec.components[1].name must be unique, found "web" twice`],
    [
      'two objects of one name',
      application([
        web({ ports: [{ port: 80, expose: true }] }),
        { name: 'more', type: 'k8s-objects', properties: { objects: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } }] } },
      ]),
      `${at}spec.components must have each object once: web and more both have Service web in shop`,
    ],
    [
      'a scaler without a workload',
      application([
        {
          name: 'set',
          type: 'k8s-objects',
          properties: { objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }] },
          traits: [{ type: 'scaler' }],
        },
      ]),
      `${at}spec.components[0].traits[0].properties scales a workload, but the component has none`,
    ],
    [
      'another policy',
      application([web()], [{ type: 'topology' }]),
      `${at}spec.policies[0].type must be one of rollout, garbage-collect, apply-once, take-over, read-only, found "topology"`,
    ],
    [
      'a policy that must choose',
      application([web(), { name: 'jobs', type: 'worker', properties: { image: 'j' } }], [{ type: 'rollout' }]),
      `${at}spec.policies[0].properties.component must name the component to roll out, since there are 2: web, jobs`,
    ],
    [
      'a policy for what has no workload',
      application([web()], [{ type: 'rollout', properties: { component: 'db' } }]),
      `${at}spec.policies[0].properties.component must name a component with a workload (web), found "db"`,
    ],
    [
      'a ratio above 100',
      application([web()], [{ type: 'rollout', properties: { ratio: 101 } }]),
      `${at}spec.policies[0].properties.ratio must be at most 100, found 101`,
    ],
    [
      'an unknown control',
      application([web()], [{ type: 'rollout', properties: { control: { gate: 'x' } } }]),
      `${at}spec.policies[0].properties.control has "gate", which is unknown here`,
    ],
    [
      'a component called like a member of every object',
      application([{ name: 'web', type: 'constructor' }]),
      `${at}spec.components[0].type must be one of webservice, worker, task, cron-task, k8s-objects, found "constructor"`,
    ],
  ])('[design 13 O] %s', (_title, object, sentence) => {
    expect(refusal(object)).toBe(sentence);
  });
});
