import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toKubeTime } from '@/lib/std/instant';
import { ManualClock } from '@/server/platform';
import { createHealthOf } from '@/server/readmodel/health-of';
import { loadStatusRules } from '@/server/status';
import { SCHEDULE_WINDOW_MS } from '@/server/status/kinds/pod';

const ingress: KubeObject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', namespace: 'shop' } };

describe('health of an object', () => {
  it('[status 11.7] follows the rules that the server turned on, and kstatus alone without them', async () => {
    const clock = new ManualClock();
    const withRules = createHealthOf(clock, await loadStatusRules());
    expect(withRules(ingress)).toEqual({ health: 'InProgress', message: 'Ingress has no address' });
    expect(createHealthOf(clock)(ingress)).toEqual({ health: 'Current', message: 'Resource is current' });
  });

  it('[status 4] is Unknown with the reason for an object that cannot be judged', () => {
    const broken = { ...ingress, status: { conditions: 'none' } };
    expect(createHealthOf(new ManualClock())(broken)).toEqual({ health: 'Unknown', message: 'status.conditions wants a list, found "none"' });
  });

  const homeless = (clock: ManualClock): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', creationTimestamp: toKubeTime(clock.now()) },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  });

  it('[status 6.7] fails a pod that no node fits when its time is up, though nothing changes in the cluster', async () => {
    const clock = new ManualClock();
    const due: string[] = [];
    const healthOf = createHealthOf(clock, {}, ({ metadata }) => due.push(metadata.name ?? ''));
    const pod = homeless(clock);
    expect(healthOf(pod)).toEqual({ health: 'InProgress', message: 'Pod has not been scheduled' });
    await clock.advance(SCHEDULE_WINDOW_MS - 1000);
    expect([due, healthOf(pod).health]).toEqual([[], 'InProgress']);
    await clock.advance(1000);
    expect([due, healthOf(pod)]).toEqual([['web-1'], { health: 'Failed', message: 'Pod could not be scheduled' }]);
  });

  it('[status 6.7] waits for nobody once it was stopped', async () => {
    const clock = new ManualClock();
    const due: string[] = [];
    const healthOf = createHealthOf(clock, {}, ({ metadata }) => due.push(metadata.name ?? ''));
    healthOf(homeless(clock));
    healthOf.stop();
    await clock.advance(2 * SCHEDULE_WINDOW_MS);
    expect(due).toEqual([]);
  });
});
