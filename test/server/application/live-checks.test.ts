import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import type { ActContext } from '@/server/application/act/context';
import { differsInScaleOnly } from '@/server/application/observe/differs-in-scale-only';
import {
  explainStaleObservation,
  hasMoved,
  hasTrackers,
  isApplicationThere,
  isStaleObservation,
  StaleObservationError,
} from '@/server/application/observe/live-checks';
import { servicesOf } from '@/server/application/observe/services';
import { deletionsOf, serverActionsOf } from '@/server/application/observe/ungranted';
import { parseApplication } from '@/server/application/spec/parse';
import type { ResourceTracker } from '@/server/dispatch';
import { LABEL } from '@/server/dispatch';
import { createFakeCluster } from '../auth/fake-cluster';
import { configMap, entry, holding, recording, revisionOf, seenAfter } from './seen';
import { planned, tracker } from './staged-shop';

const contextOf = (...objects: readonly KubeObject[]): ActContext => {
  // Looking at the server needs no more of what an act has.
  return { deps: { cluster: createFakeCluster({ objects }) }, signal: new AbortController().signal } as unknown as ActContext;
};
const application = holding([configMap('a')]);
const as = (more: object): KubeObject => ({ ...application, metadata: { ...application.metadata, ...more } });

describe('an application that a pass has judged', () => {
  it.each<[string, KubeObject | undefined, boolean]>([
    ['is as it was', application, false],
    ['was written in its status only', as({ resourceVersion: '9', labels: { a: 'b' } }), false],
    ['has another spec', as({ generation: 3 }), true],
    ['was made anew', as({ uid: 'other' }), true],
    ['is being deleted', as({ deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
    ['was suspended', as({ annotations: { [SUSPENDED]: 'true' } }), true],
    ['is gone', undefined, true],
  ])('[design 13 K] is asked for at the server: it %s', async (_what, live, moved) => {
    const context = contextOf(...(live === undefined ? [] : [live]));
    expect(await hasMoved(context, application)).toBe(moved);
  });

  it('[design 13 K] that is being deleted is the same while it is, and another once that is not so', async () => {
    const ending = as({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect([await hasMoved(contextOf(ending), ending), await hasMoved(contextOf(application), ending)]).toEqual([false, true]);
  });

  it('[dispatch R1] has no revision made while the copies lack one of its own', async () => {
    const [one, two] = [revisionOf(application), revisionOf(application, {}, 2)];
    const labelled = (object: KubeObject, owner = 'app'): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [{ ...KINDS.application, name: 'web', uid: owner }] },
    });
    const why = (seen: readonly (typeof one)[], ...objects: readonly KubeObject[]) =>
      explainStaleObservation(contextOf(...objects), seenAfter(seen, application));
    expect(await why([one], application, labelled(one.object))).toBeUndefined();
    expect(await why([one], application, labelled(one.object), labelled(two.object))).toBe(
      'the watch of ApplicationRevisions lags behind: it has not delivered web-v2 yet',
    );
    expect(await why([one], application, labelled(two.object, 'former'))).toBeUndefined();
    const shared = labelled(two.object);
    const owners = [...(shared.metadata.ownerReferences ?? []), { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' }];
    expect(await why([one], application, { ...shared, metadata: { ...shared.metadata, ownerReferences: owners } })).toContain('web-v2');
    const { ownerReferences: _none, ...bare } = two.object.metadata;
    expect(await why([one], application, { ...two.object, metadata: bare })).toBeUndefined();
    expect(await why([one], as({ generation: 5 }))).toBe('the application changed while it was being reconciled; reconciling it again');
  });

  it('[dispatch R4] is there or not by what the server says, and so are records that nobody has collected', async () => {
    const context = contextOf(application);
    expect([
      await isApplicationThere(context, 'shop/web' as ObjectKey),
      await isApplicationThere(context, 'shop/api' as ObjectKey),
    ]).toEqual([true, false]);
    const labels = { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' };
    const record = (metadata: object): KubeObject => ({
      ...KINDS.resourceTracker,
      metadata: { name: 't', uid: 't1', labels, ...metadata },
    });
    const has = (metadata: object, collected: readonly ResourceTracker[] = []) =>
      hasTrackers(contextOf(record(metadata)), { name: 'web', namespace: 'shop' }, collected);
    expect(await has({})).toBe(true);
    expect(await has({}, [tracker('t1')])).toBe(false);
    expect(await has({}, [tracker('t2')])).toBe(true);
    expect(await has({ labels: { ...labels, [LABEL.appNamespace]: 'other' } })).toBe(false);
    expect(await has({ labels: { [LABEL.appName]: 'web' } })).toBe(false);
  });

  it('[design 13 K] is told to be outdated however deep that lies in a failure', () => {
    const outdated = new StaleObservationError('x');
    expect([outdated, new Error('a', { cause: new Error('b', { cause: outdated }) })].map(isStaleObservation)).toEqual([true, true]);
    expect([new Error('a'), new Error('a', { cause: 'x' }), 'x', undefined, { cause: outdated }].map(isStaleObservation)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('a change of a copy', () => {
  const workload = (replicas: number, more: object = {}, status = 1): KubeObject => ({
    ...KINDS.deployment,
    metadata: { name: 'web', labels: { [LABEL.rolloutService]: 'web' }, ...more },
    spec: { replicas, paused: false },
    status: { replicas: status },
  });

  it('[issue 14] wakes no application where a rollout scaled its workload, and else does', () => {
    const [before, after] = [workload(1, { resourceVersion: '1', generation: 1 }), workload(2, { resourceVersion: '2', generation: 2 }, 2)];
    expect(differsInScaleOnly({ before, after })).toBe(true);
    expect(differsInScaleOnly({ before, after: { ...after, spec: { replicas: 2, paused: true } } })).toBe(false);
    expect(differsInScaleOnly({ before, after: workload(2, { annotations: { a: 'b' } }) })).toBe(false);
    expect([differsInScaleOnly({ before: undefined, after }), differsInScaleOnly({ before, after: undefined })]).toEqual([false, false]);
    expect(
      [{ labels: {} }, { labels: undefined }].map((more) => differsInScaleOnly({ before: workload(1, more), after: workload(2, more) })),
    ).toEqual([false, false]);
  });
});

describe('what the server does itself', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop' } };
  const action = (verbs: readonly string[], kind: string, name: string, namespace?: string) => ({
    ...{ verbs, object: { apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind, name, ...(namespace ? { namespace } : {}) } },
  });

  it('[issue 10.1] is to read the workloads, write what a plan has, keep its values, and delete what nothing wants', () => {
    const object = holding([configMap('a'), configMap('used')], { 'read-only': { rules: [{ selector: { resourceNames: ['used'] } }] } });
    const olds = [
      recording(
        entry('ConfigMap', 'a'),
        entry('ConfigMap', 'old'),
        entry('ConfigMap', 'used', { namespace: '' }),
        entry('ConfigMap', 'gone', { deleted: true }),
      ),
    ];
    const beside = {
      revision: {} as never,
      workload: 'w',
      rendered: { manifests: [{ ...configMap('beside', {}, { namespace: 'shop' }) }], workloads: {} },
    };
    const plan = { ...planned(seenAfter([], object)), olds, served: [beside] };
    expect(serverActionsOf(plan, { inline: { secrets: [secret] } as never })).toEqual([
      action(['list'], 'Deployment', '', 'shop'),
      action(['create', 'patch'], 'ConfigMap', 'a', 'shop'),
      action(['create', 'patch'], 'ConfigMap', 'beside', 'shop'),
      action(['create'], 'Secret', 's', 'shop'),
      action(['delete'], 'ConfigMap', 'old', 'shop'),
    ]);
    expect(serverActionsOf({ ...plan, olds: [], served: [] }, {})).toHaveLength(2);
  });

  it('[issue 10.1] is to delete what a record lists, but for what went and what stays', () => {
    const entries = [
      entry('ConfigMap', 'a'),
      entry('ConfigMap', 'b', { deleted: true }),
      entry('ConfigMap', 'c', { skipGC: true }),
      entry('Thing', 'd', { namespace: '' }),
    ];
    expect(deletionsOf(entries)).toEqual([action(['delete'], 'ConfigMap', 'a', 'shop'), action(['delete'], 'Thing', 'd')]);
  });
});

describe('how components fare', () => {
  const parsed = parseApplication({
    ...application,
    spec: { components: ['web', 'api'].map((name) => ({ name, type: 'webservice', properties: { image: 'x' } })), policies: [] },
  });
  const of = (component: string, kind: string, more: object = {}) => entry(kind, `${component}-${kind}`, { component, ...more });
  const fares = (entries: readonly ReturnType<typeof entry>[] | undefined, statuses: Readonly<Record<string, string>> = {}) =>
    servicesOf(parsed, entries && (tracker('t', { entries }) as ResourceTracker), {
      cache: { read: () => undefined } as never,
      status: {
        evaluate: ({ kind }: { kind: string }) => ({
          status: statuses[kind] ?? 'Current',
          message: `is ${statuses[kind]}`,
          conditions: [],
        }),
      } as never,
    });

  it('[status 11] is as the worst of their objects does, and unknown before anything is applied', () => {
    const { services, isFailed } = fares(
      [of('web', 'Service'), of('web', 'Deployment', { apiVersion: 'apps/v1' }), of('api', 'Job', { trait: 'scaler' })],
      { Deployment: 'InProgress' },
    );
    expect(services).toEqual([
      {
        ...{ name: 'web', namespace: 'shop', healthy: false, message: expect.stringMatching(/^Deployment web-Deployment: /) },
        workloadDefinition: { apiVersion: 'apps/v1', kind: 'Deployment' },
      },
      { name: 'api', namespace: 'shop', healthy: true, message: '1 object is current' },
    ]);
    expect(isFailed).toBe(false);
    const none = { healthy: false, message: 'nothing is applied yet' };
    expect([fares(undefined).services, fares([]).services].flat()).toMatchObject([none, none, none, none]);
    expect(fares([of('web', 'Service'), of('web', 'Job')]).services[0]).toMatchObject({
      message: '2 objects are current',
      workloadDefinition: { kind: 'Job' },
    });
    expect(fares([of('web', 'CronJob')]).services[0]).toMatchObject({ workloadDefinition: { kind: 'CronJob' } });
    expect(fares([of('web', 'Service')]).services[0]).not.toHaveProperty('workloadDefinition');
  });

  it('[status 11] is failed by one that is neither current nor on its way', () => {
    const isFailed = (status: string) => fares([of('web', 'Service'), of('api', 'Job')], { Service: status }).isFailed;
    expect(['Failed', 'NotFound', 'Unknown', 'Terminating', 'InProgress', 'Current'].map(isFailed)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
