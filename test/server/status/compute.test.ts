import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { compute } from '@/server/status/compute';
import { computeJobCompleted } from '@/server/status/kinds/batch';
import type { ComputeResult, Status } from '@/server/status/result';
import { ComputeError, current, parseStatus, STATUSES } from '@/server/status/result';
import { aDeployment, aPod, aStatefulSet } from './objects';

const NOW = toInstant(Date.UTC(2031, 4, 4));
const KINDS = [
  'v1/Pod',
  'v1/Service',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'apps/v1/DaemonSet',
  'apps/v1/ReplicaSet',
  'batch/v1/Job',
  'x/v1/Thing',
];

function aJob(status: object, spec: object = {}): KubeObject {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'report', namespace: 'shop' }, spec: { ...spec }, status: { ...status } };
}

describe('compute', () => {
  it('[status 3] knows six statuses by name', () => {
    expect([...STATUSES].sort()).toEqual(['Current', 'Failed', 'InProgress', 'NotFound', 'Terminating', 'Unknown']);
    for (const status of STATUSES) expect(parseStatus(status)).toBe(status);
    expect(parseStatus('Healthy')).toBeUndefined();
  });

  it('[status 6.2] counts a Deployment by the first row that holds', () => {
    expect(compute(aDeployment('web'), NOW)).toEqual({
      status: 'Current',
      message: 'Deployment is available. Replicas: 1',
      conditions: [],
    });
    expect(compute(aDeployment('web', { ready: 0 }), NOW)).toMatchObject({
      status: 'InProgress',
      message: 'Replicas: 0/1',
      conditions: [{ type: 'Reconciling', reason: 'LessReplicas' }],
    });
  });

  it('[status 6.7] gives a pod fifteen seconds from its creation to find a node, and not one more', () => {
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: '2031-05-04T00:00:00Z' });
    const created = parseInstant('2031-05-04T00:00:00Z') ?? 0;
    expect(compute(pod, toInstant(created + 14_999)).status).toBe('InProgress');
    expect(compute(pod, toInstant(created + 15_000)).status).toBe('Failed');
  });

  it('[status 6.7] takes a creation time that Kubernetes would not read for the distant past', () => {
    const pod = aPod('web', 'a', { phase: 'Pending', unschedulable: true, createdAt: '2031-05-04T00:00:00Z' });
    const createdAs = (creationTimestamp: string) => ({ ...pod, metadata: { ...pod.metadata, creationTimestamp } });
    const now = toInstant((parseInstant('2031-05-04T00:00:00Z') ?? 0) + 1000);
    for (const known of ['2031-05-04T02:00:00+02:00', '2031-05-04T00:00:00.25Z', '2031-05-04T00:00:00,25Z'])
      expect(compute(createdAs(known), now).status).toBe('InProgress');
    for (const foreign of ['Sun, 04 May 2031 00:00:00 GMT', '2031-05-04', '2031-06-31T00:00:00Z', '2031-05-04T24:00:00Z', 'soon'])
      expect(compute(createdAs(foreign), now).status).toBe('Failed');
  });

  it('[status 5 G2] does not read the observed generation of an object without a generation', () => {
    const thing: KubeObject = { apiVersion: 'x/v1', kind: 'Thing', metadata: { name: 'any' }, status: { observedGeneration: '4' } };
    expect(compute(thing, NOW).message).toBe('Resource is current');
    expect(compute({ ...thing, apiVersion: 'apps/v1', kind: 'DaemonSet' }, NOW).message).toBe('DaemonSet metadata.generation not found');
    expect(() => compute({ ...thing, metadata: { name: 'any', generation: 4 } }, NOW)).toThrow(ComputeError);
  });

  it('[status 5 K0] reads names that are no text as empty', () => {
    const odd = JSON.parse('{"apiVersion":7,"kind":5,"metadata":{"generation":2},"status":{"observedGeneration":1}}');
    expect(compute(odd, NOW).message).toBe(' generation is 2, but latest observed generation is 1');
    expect(compute(JSON.parse('{"apiVersion":7,"kind":"ConfigMap","metadata":{}}'), NOW).message).toBe('Resource is always ready');
  });

  it('[status 11.1] can hold a Job in progress until it has ended', () => {
    const rules = new Map([['batch/Job', computeJobCompleted]]);
    const running = aJob({ startTime: '2031-05-03T00:00:00Z', active: 1 });
    expect(compute(running, NOW).status).toBe('Current');
    expect(compute(running, NOW, { rules })).toMatchObject({ status: 'InProgress', message: 'Job in progress' });
    const complete = aJob({ succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] });
    expect(compute(complete, NOW, { rules })).toMatchObject({ status: 'Current', message: 'Job Completed. succeeded: 1/1' });
    const suspended = aJob({ conditions: [{ type: 'Suspended', status: 'True' }] }, { suspend: true });
    expect(compute(suspended, NOW, { rules }).status).toBe('Current');
    const resumed = aJob({ conditions: [{ type: 'Suspended', status: 'True' }] }, { suspend: false });
    expect(compute(resumed, NOW, { rules }).status).toBe('InProgress');
  });

  it('[status 11.7] takes rules for custom kinds before the generic ones, after the standard conditions', () => {
    const rules = new Map([['water.test/Pump', () => current('primed')]]);
    const pump: KubeObject = {
      apiVersion: 'water.test/v1',
      kind: 'Pump',
      metadata: { name: 'p1' },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    };
    expect(compute(pump, NOW, { rules }).message).toBe('primed');
    const stalled = { ...pump, status: { conditions: [{ type: 'Stalled', status: 'True', reason: 'Dry', message: 'no water' }] } };
    expect(compute(stalled, NOW, { rules })).toMatchObject({ status: 'Failed', message: 'no water' });
  });

  it('[status 5] answers or throws ComputeError, whatever the object holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.object({ maxDepth: 3 }), fc.object({ maxDepth: 3 }), (name, spec, status) => {
        const [kind = '', ...version] = name.split('/').reverse();
        const object: KubeObject = { apiVersion: version.reverse().join('/'), kind, metadata: { name: 'any' }, spec, status };
        try {
          expect(STATUSES).toContain(compute(object, NOW).status);
        } catch (error) {
          expect(error).toBeInstanceOf(ComputeError);
        }
      }),
    );
  });

  it('[status 3] reports a standard condition exactly while something is to be done', () => {
    const conditionOf: Partial<Record<Status, string>> = { InProgress: 'Reconciling', Failed: 'Stalled' };
    const results: readonly ComputeResult[] = [
      compute(aDeployment('web'), NOW),
      compute(aDeployment('web', { ready: 0 }), NOW),
      compute(aPod('web', 'a', { phase: 'Running', looping: true }), NOW),
      compute({ ...aDeployment('web'), metadata: { name: 'web', deletionTimestamp: '2031-05-04T00:00:00Z' } }, NOW),
    ];
    expect(results.map(({ status }) => status)).toEqual(['Current', 'InProgress', 'Failed', 'Terminating']);
    for (const { status, conditions } of results) expect(conditions.map(({ type }) => type)).toEqual([conditionOf[status]].filter(Boolean));
  });

  it('[status 12] reads no clock but the one it is given', () => {
    expect(compute(aStatefulSet('ledger'), NOW)).toEqual(compute(aStatefulSet('ledger'), toInstant(0)));
  });
});
