import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { MAX_PODS } from '@/lib/contract/pod-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps, Place } from '@/server/commands/command-deps';
import { readPods } from '@/server/commands/objects/read-pods';
import type { Played } from './around-rig';
import { aroundRig as rigOf } from './around-rig';
import { ANN, configMap } from './rig';

describe('[issue 14.1] the pods of an object', () => {
  const pod = (name: string, restarts = 0, ns = 'default'): KubeObject => ({
    ...KINDS.pod,
    metadata: { name, namespace: ns },
    spec: { containers: [{ name: 'a' }, { name: 'b' }] },
    status: {
      containerStatuses: [
        { name: 'a', restartCount: restarts },
        { name: 'b', restartCount: 1 },
      ],
    },
  });
  const at = (kind: string, name: string, group = '') => ({ of: { group, named: kind }, ns: 'default', name });
  const named = (page: { readonly pods: readonly { readonly name: string }[] }) => page.pods.map(({ name }) => name);

  it('are the worst first, then those that restarted most, then by name, and so many at most', async () => {
    const below = [
      pod('b'),
      pod('a'),
      pod('often', 5),
      pod('bad-1'),
      { ...pod('x'), kind: 'ConfigMap' },
      { ...pod('y'), apiVersion: 'example.com/v1' },
    ].map((object) => ({ object }));
    expect(named(await readPods(rigOf({ held: { root: configMap('root') }, below }).deps, ANN, at('ConfigMap', 'root')))).toEqual([
      'bad-1',
      'often',
      'a',
      'b',
    ]);
    const many = Array.from({ length: MAX_PODS + 3 }, (_, index) => ({ object: pod(`p${index}`) }));
    const { pods, more } = await readPods(rigOf({ held: { root: configMap('root') }, below: many }).deps, ANN, at('ConfigMap', 'root'));
    expect([pods.length, more]).toEqual([MAX_PODS, 3]);
  });

  it('are the pod itself as it is read, and none of an object that has none, of which no usage is asked', async () => {
    const itself = await readPods(rigOf({ held: { p: pod('p') } }).deps, ANN, at('Pod', 'p'));
    expect([named(itself), itself.hidden, itself.more]).toEqual([['p'], [], 0]);
    const none = await readPods(rigOf({ held: { root: configMap('root') } }).deps, ANN, at('ConfigMap', 'root'));
    expect([none.pods, none.unmeasured]).toEqual([[], null]);
  });

  it('are measured in five namespaces at most', async () => {
    const below = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((ns) => ({ object: pod(`in-${ns}`, 0, ns) }));
    const asked: string[] = [];
    const { deps } = rigOf({ held: { root: configMap('root') }, below });
    const metrics = { group: 'metrics.k8s.io', version: 'v1beta1', plural: 'pods', namespaced: true };
    const resolveKind = async (of: { group: string; kind: string }) =>
      of.group === 'metrics.k8s.io' ? metrics : { ...metrics, ...of, version: 'v1', verbs: ['get', 'list'], shortNames: [] };
    const request = async ({ path }: { path: string }) => {
      asked.push(path);
      return { status: 200, headers: {}, body: [Buffer.from('{"items":[]}')] };
    };
    const cluster = { ...deps.cluster, ...deps.cluster.as(ANN.person), request, discovery: { ...deps.cluster.discovery, resolveKind } };
    const page = await readPods(
      { ...deps, cluster: { ...cluster, as: () => cluster } } as unknown as CommandDeps,
      ANN,
      at('ConfigMap', 'root'),
    );
    expect([page.pods.length, page.unmeasured, asked.map((path) => path.split('/')[5])]).toEqual([7, null, ['a', 'b', 'c', 'd', 'e']]);
  });

  it('are not told as unmeasured where the cluster cannot say what it serves', async () => {
    const { deps } = rigOf({ held: { p: pod('p') } });
    const resolveKind = async ({ group }: { group: string }) => {
      if (group === 'metrics.k8s.io') throw new Error('no answer');
      return { group, version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true, shortNames: [], verbs: ['get', 'list'] };
    };
    const silent = {
      ...deps,
      cluster: { ...deps.cluster, discovery: { ...deps.cluster.discovery, resolveKind } },
    } as unknown as CommandDeps;
    await expect(readPods(silent, ANN, at('Pod', 'p'))).rejects.toThrow('no answer');
  });

  it('of an application and of its rollout are those that logs are told of, of the rollout those of its component', async () => {
    const asked: Place[] = [];
    const podsOf = (place: Place) => {
      asked.push(place);
      return {
        pods: () => [
          { pod: pod('front'), component: 'front' },
          { pod: pod('back'), component: 'back' },
        ],
      };
    };
    const application = { ...KINDS.application, metadata: { name: 'web', namespace: 'default' } };
    const rollout = (labels: object) =>
      ({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web', namespace: 'default', labels } }) as KubeObject;
    const read = (object: KubeObject, more: Played = {}) =>
      readPods(rigOf({ held: { web: object }, podsOf, ...more }).deps, ANN, at(object.kind, 'web', 'core.oam.dev'));
    expect(named(await read(application))).toEqual(['back', 'front']);
    expect(asked).toEqual([{ ns: 'default', name: 'web' }]);
    const reader = { applicationsOf: () => [{ ns: 'default', name: 'shop' }] };
    expect(named(await read(rollout({ 'app.oam.dev/component': 'front' }), { reader }))).toEqual(['front']);
    expect(named(await read(rollout({}), { reader }))).toEqual(['back', 'front']);
    expect(asked.at(-1)).toEqual({ ns: 'default', name: 'shop' });
    expect(named(await read(rollout({})))).toEqual([]);
    expect(named(await read({ ...application, apiVersion: 'argoproj.io/v1alpha1' }))).toEqual([]);
  });

  it('of an application that the copies have not heard of are none, and any other failure is told', async () => {
    const application = { ...KINDS.application, metadata: { name: 'web', namespace: 'default' } };
    const read = (failure: Error) => {
      const podsOf = () => {
        throw failure;
      };
      return readPods(rigOf({ held: { web: application }, podsOf }).deps, ANN, at('Application', 'web', 'core.oam.dev'));
    };
    expect((await read(new AppError('not-found', 'there is none'))).pods).toEqual([]);
    for (const failure of [new AppError('stale', 'the watch is gone'), new Error('broken')])
      await expect(read(failure)).rejects.toBe(failure);
  });
});
