import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { ManualClock } from '@/server/platform';
import { createHealthOf } from '@/server/readmodel/health-of';
import { loadStatusRules } from '@/server/status';

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
});
