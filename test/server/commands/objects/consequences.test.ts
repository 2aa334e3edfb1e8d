import { describe, expect, it } from 'vitest';
import type { ObjectActRequest } from '@/lib/contract/object-acts';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import type { CommandDeps, Place } from '@/server/commands/command-deps';
import { consequencesOf } from '@/server/commands/objects/acts/consequences';
import { ANN, configMap, refusalOf } from './rig';

const PLACE = { ns: 'shop', name: 'web' };

interface Told {
  readonly applications?: readonly Place[];
  /** What the application wants of it. */
  readonly wanted?: object;
  readonly autoscalers?: readonly KubeObject[];
  readonly failure?: Error;
}

/** What an act on an object is said to do, and what was asked for on the way. */
async function told(
  object: KubeObject,
  request: Partial<ObjectActRequest>,
  { applications = [], wanted = {}, autoscalers = [], failure }: Told = {},
) {
  const asked: unknown[] = [];
  const deps = {
    objectReader: { applicationsOf: () => applications },
    blastRadiusOf: (place: Place) => [`with it goes what ${place.ns}/${place.name} knows`],
    desiredOf: (_place: Place, at: ObjectAddress) => {
      asked.push(at);
      return { policy: {}, repair: { when: 'soon', why: 'so it is' }, ...wanted };
    },
    cluster: {
      as: () => ({
        async *list(at: object) {
          asked.push(at);
          if (failure !== undefined) throw failure;
          yield { items: autoscalers };
        },
      }),
    },
  } as unknown as CommandDeps;
  const sentences = await consequencesOf(deps, ANN, object, { targets: [], ...request } as ObjectActRequest);
  return { sentences, asked };
}

const controlledBy = (kind: string) =>
  configMap('a', { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'above', uid: 'u', controller: true }] });
const workload = (kind: string, spec: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'a', namespace: 'shop' },
  spec,
});

describe('[issue 14.1] what is told before an object is deleted', () => {
  it.each(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController', 'Deployment', 'Job'])(
    'says that a %s creates a new one of what it controls',
    async (kind) => {
      const { sentences } = await told(controlledBy(kind), { verb: 'delete' });
      expect(sentences).toEqual(['with it goes what / knows', `${kind} above controls it and creates a new one`]);
    },
  );

  it('says nothing of a controller that creates none, and none of what nobody controls', async () => {
    for (const object of [controlledBy('CronJob'), configMap('a')])
      expect((await told(object, { verb: 'delete' })).sentences).toEqual(['with it goes what / knows']);
  });

  it('names the Helm release that installed it', async () => {
    const { sentences } = await told(configMap('a', { annotations: { 'meta.helm.sh/release-name': 'shop' } }), { verb: 'delete' });
    expect(sentences.at(-1)).toMatch(/^Helm release shop installed it/);
  });

  it.each<readonly [string, object, string]>([
    ['at once', {}, 'application web includes it, so its engine creates it again'],
    [
      'later',
      { repair: { when: 'later', why: 'its window is closed' } },
      'application web includes it, and its engine creates it again later: its window is closed',
    ],
    [
      'never',
      { repair: { when: 'never', why: 'it observes' } },
      'application web includes it, and does not create it again automatically: it observes',
    ],
    [
      'never, since all of it is left',
      { policy: { keep: ['*'] } },
      'application web includes it, and does not create it again automatically: so it is',
    ],
    [
      'though a field of it is left',
      { policy: { keep: ['spec.replicas'] } },
      'application web includes it, so its engine creates it again',
    ],
    ['by no list', { uncompared: 'not listed' }, 'it is part of application web, which does not list it itself'],
  ])('says that the application has it again: %s', async (_when, wanted, sentence) => {
    const { sentences, asked } = await told(configMap('a'), { verb: 'delete' }, { applications: [PLACE], wanted });
    expect(sentences).toEqual(['with it goes what shop/web knows', sentence]);
    expect(asked).toStrictEqual([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' }]);
  });

  it('asks for what has no namespace without one', async () => {
    const { asked } = await told(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
      { verb: 'delete' },
      { applications: [PLACE] },
    );
    expect(asked).toStrictEqual([{ apiVersion: 'v1', kind: 'Namespace', name: 'a' }]);
  });
});

describe('[issue 14.1] what is told before a workload restarts', () => {
  it.each<readonly [string, object, string]>([
    ['Deployment', { replicas: 3 }, 'its 3 pods are replaced by new ones of the same template, step by step as its strategy says'],
    ['Deployment', { replicas: 1 }, 'its 1 pod is replaced by new ones of the same template, step by step as its strategy says'],
    [
      'Deployment',
      { replicas: 0 },
      'no pod, since it has none, are replaced by new ones of the same template, step by step as its strategy says',
    ],
    ['Deployment', {}, 'its pods are replaced by new ones of the same template, step by step as its strategy says'],
    ['DaemonSet', { replicas: 3 }, 'its pods are replaced by new ones of the same template, step by step as its strategy says'],
    ['Deployment', { replicas: 3, strategy: { type: 'Recreate' } }, 'its 3 pods are all stopped before new ones start'],
    [
      'StatefulSet',
      { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      'its 2 pods restart only when they are deleted: its updateStrategy is OnDelete',
    ],
  ])('%s %j', async (kind, spec, sentence) => {
    expect((await told(workload(kind, spec), { verb: 'restart' })).sentences).toEqual([sentence]);
  });
});

describe('[issue 14.1] what is told before a workload is scaled', () => {
  const autoscaler = (name: string, target: object): KubeObject => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'shop', name },
    spec: { scaleTargetRef: target },
  });

  it.each<readonly [object, number, readonly string[]]>([
    [{ replicas: 3 }, 5, ['from 3 to 5 replicas']],
    [{}, 5, ['from 1 to 5 replicas']],
    [{ replicas: 5 }, 5, ['it has 5 replicas already']],
    [{ replicas: 3 }, 0, ['from 3 to 0 replicas', 'none of its pods keeps running']],
  ])('%j to %i', async (spec, replicas, sentences) => {
    expect((await told(workload('Deployment', spec), { verb: 'scale', replicas })).sentences).toEqual(sentences);
  });

  it('names the autoscalers of its namespace that scale this workload, and no other one', async () => {
    const autoscalers = [
      autoscaler('of-it', { kind: 'Deployment', name: 'a' }),
      autoscaler('of-another', { kind: 'Deployment', name: 'b' }),
      autoscaler('of-another-kind', { kind: 'StatefulSet', name: 'a' }),
    ];
    const { sentences, asked } = await told(workload('Deployment', { replicas: 1 }), { verb: 'scale', replicas: 2 }, { autoscalers });
    expect(sentences).toEqual(['from 1 to 2 replicas', 'HorizontalPodAutoscaler of-it scales it too, and may overwrite the number']);
    expect(asked).toEqual([{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: 'shop' }]);
  });

  it('tells none to who may not read them, and does not take another failure for none', async () => {
    const scaled = (failure: Error) => told(workload('Deployment', { replicas: 1 }), { verb: 'scale', replicas: 2 }, { failure });
    expect((await scaled(refusalOf(403, 'Forbidden'))).sentences).toEqual(['from 1 to 2 replicas']);
    await expect(scaled(refusalOf(500, 'InternalError'))).rejects.toThrow();
  });
});

it('[issue 14.1] an Application of another group is an object like any other', async () => {
  const object = { ...KINDS.application, apiVersion: 'argoproj.io/v1alpha1', metadata: { name: 'web', namespace: 'shop' } };
  expect((await told(object, { verb: 'delete' })).sentences).toEqual(['with it goes what / knows']);
});
