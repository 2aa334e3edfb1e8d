import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { serverActionsOf, ungrantedOf, withGrant } from '@/server/rollout/pass/ungranted';
import { aSimulation } from './simulation';

const NOW = toInstant(Date.UTC(2026, 0, 2));
const WHY = 'the server may not scale in shop';

describe('what the server does itself to move a rollout', () => {
  it('[issue 10.1] is to list what it judges by, to scale each workload, and to change the range of those that an autoscaler counts', () => {
    const simulation = aSimulation(4);
    simulation.autoscale('web-v2', 1, 4);
    const said = serverActionsOf(simulation.observe().view).map(
      ({ verbs, object, subresource }) =>
        `${verbs.join()} ${object.kind}${subresource === undefined ? '' : `/${subresource}`} ${object.namespace}/${object.name}`,
    );
    expect(said).toEqual([
      'list Deployment shop/',
      'list HorizontalPodAutoscaler shop/',
      'list Pod shop/',
      'patch Deployment/scale shop/web-v1',
      'patch Deployment/scale shop/web-v2',
      'update HorizontalPodAutoscaler shop/web-v2',
    ]);
    expect(serverActionsOf(simulation.observe().view)[0]?.object.apiVersion).toBe(KINDS.deployment.apiVersion);
  });
});

describe('the condition that says what is not granted', () => {
  const of = (conditions: readonly object[]) => ({ status: { conditions } }) as unknown as KubeObject; // no more of it is read
  const others = [
    { type: 'Accepted', status: 'True' },
    { type: 'StageReady', status: 'True' },
  ] as const;

  it('[issue 10.1] stands among the others by name, keeps its time while it says the same, and goes once all is granted', () => {
    const held = withGrant(others, WHY, NOW);
    const told = {
      type: 'Granted',
      status: 'False',
      severity: 'Info',
      reason: 'NotGranted',
      message: WHY,
      lastTransitionTime: '2026-01-02T00:00:00Z',
    };
    expect(held).toEqual([others[0], told, others[1]]);
    expect(withGrant([...others].reverse(), WHY, NOW)).toEqual(held);
    const later = toInstant(NOW + 60_000);
    expect(withGrant(held, WHY, later)).toBe(held);
    expect(withGrant(held, 'another right', later)).toEqual([others[0], { ...told, message: 'another right' }, others[1]]);
    expect([withGrant(held, undefined, later), withGrant(others, undefined, later)]).toEqual([others, others]);
  });

  it('[issue 10.1] is told of a rollout only where it does not hold', () => {
    expect(ungrantedOf(of(withGrant(others, WHY, NOW)))).toBe(WHY);
    expect([
      ungrantedOf(of(others)),
      ungrantedOf(of([{ type: 'Granted', status: 'True', message: 'x' }])),
      ungrantedOf(of([{ type: 'Granted', status: 'False' }])),
    ]).toEqual([undefined, undefined, '']);
  });
});
