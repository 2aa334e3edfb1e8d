import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';

function holding({ apiVersion, kind }: TypeRef) {
  const objects = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } },
    { apiVersion, kind, metadata: { name: 'forged' }, spec: {} },
  ];
  return {
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop' },
    spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
  };
}

describe('objects of an application, which the server writes by itself', () => {
  it.each([
    KINDS.stageDecision,
    { ...KINDS.stageDecision, apiVersion: 'slipway.dev/v1' },
    KINDS.rolloutOrchestrator,
    KINDS.stagePodAutoscaler,
    KINDS.resourceTracker,
    KINDS.applicationRevision,
  ])('[design 5] are never a $kind of $apiVersion: it would speak for whomever it names', (type) => {
    const sentence = `Application web in shop: spec.components[0].properties.objects[1] is ${type.kind} of ${type.apiVersion}, which no application may hold`;
    expect(() => parseApplication(holding(type))).toThrow(sentence);
  });

  it('[dispatch R1] are anything else, applications among them', () => {
    expect(parseApplication(holding(KINDS.application)).name).toBe('web');
    expect(parseApplication(holding({ apiVersion: 'example.com/v1', kind: 'StageDecision' })).name).toBe('web');
  });
});
