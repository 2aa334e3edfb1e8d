import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { parseApplication, render } from '@/server/application';
import { planIn } from './plan-in';

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
    const sentence = `Application web in shop: spec.components[0].properties.objects[1] is ${type.kind} of ${type.apiVersion}, which no application may contain`;
    expect(() => parseApplication(holding(type))).toThrow(sentence);
  });

  it.each([
    { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'Secret', stringData: { a: 'c4nary' } }] },
    { apiVersion: 'v1', kind: 'SecretList', items: [{ metadata: { name: 'a' }, stringData: { a: 'c4nary' } }] },
    { apiVersion: 'v1', kind: 'secretlist', items: [] },
    { apiVersion: 'v1', kind: 'List' },
    { apiVersion: 'apps/v1', kind: 'DeploymentList', items: [] },
  ])('[issue 10.1] are never a list, which no cluster applies, and in which values would stand: %o', (list) => {
    const listed = { ...list, metadata: { name: 'several' } };
    const application = (objects: readonly object[]) => ({
      ...holding(KINDS.application),
      spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
    });
    const sentence = `is a list of objects (${list.kind}), which cannot be applied; write each of its items as an object of its own`;
    expect(() => parseApplication(application([listed]))).toThrow(`spec.components[0].properties.objects[0] ${sentence}`);
    const at = 'spec.components[0].properties.objects[0].spec.components[0].properties.objects[0]';
    expect(() => parseApplication(application([application([listed])]))).toThrow(`${at} ${sentence}`);
    expect(() => parseApplication(application([listed]))).not.toThrow(/c4nary/);
  });

  it('[issue 10.1] may be of a kind that ends like that of a list', () => {
    expect(parseApplication(holding({ apiVersion: 'net.example.com/v1', kind: 'AllowList' })).name).toBe('web');
  });

  it('[dispatch R1] are anything else, applications among them', () => {
    expect(parseApplication(holding(KINDS.application)).name).toBe('web');
    expect(parseApplication(holding({ apiVersion: 'example.com/v1', kind: 'StageDecision' })).name).toBe('web');
  });

  it('[design 8] are applications in each other only so deep as rights to what is in them are asked for', async () => {
    const around = (object: object) => {
      const outer = holding(KINDS.application);
      return { ...outer, spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [object] } }] } } as ReturnType<
        typeof holding
      >;
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'deep', namespace: 'kube-system' } };
    const chain = (depth: number): object => (depth === 0 ? pod : around(chain(depth - 1)));
    for (let depth = 1; depth <= 6; depth++) {
      const { needed } = await planIn([], chain(depth) as ReturnType<typeof holding>);
      expect(needed?.written.map(({ object }) => object.metadata.name)).toContain('deep');
    }
    expect(() => parseApplication(chain(7) as ReturnType<typeof holding>)).toThrow(
      'spec.components[0].properties.objects nests applications more than 5 deep',
    );
  });

  describe('[issue 10.7]', () => {
    const around = ({ apiVersion, kind }: TypeRef, inner: object, times: number): object =>
      times === 0
        ? inner
        : {
            ...{ apiVersion, kind, metadata: { name: 'web', namespace: 'shop' } },
            spec: {
              components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [around({ apiVersion, kind }, inner, times - 1)] } }],
            },
          };
    const list = { apiVersion: 'v1', kind: 'SecretList', metadata: { name: 'several' }, items: [] };
    const inApplication = (inner: object) => around(KINDS.application, inner, 1) as ReturnType<typeof holding>;

    it.each([
      { apiVersion: KINDS.application.apiVersion, kind: 'Stack' },
      { apiVersion: 'argoproj.io/v1alpha1', kind: KINDS.application.kind },
      { apiVersion: 'example.com/v1', kind: 'Stack' },
    ])('hold nothing of ours in a $kind of $apiVersion, however much that looks like an application', (type) => {
      expect(parseApplication(inApplication(around(type, list, 1))).name).toBe('web');
      expect(parseApplication(inApplication(around(type, holding(KINDS.application), 5))).name).toBe('web');
    });

    it('are looked at for lists as deep as applications may lie in each other, and no deeper', () => {
      const deep = (depth: number) => () => parseApplication(inApplication(around(KINDS.application, list, depth)));
      expect(deep(5)).toThrow('is a list of objects (SecretList)');
      expect(deep(6)).toThrow('nests applications more than 5 deep');
    });
  });

  it('[design 8] are told without the values of a Secret where they are no list', () => {
    const wrong = {
      ...holding(KINDS.application),
      spec: {
        components: [{ name: 'set', type: 'k8s-objects', properties: { objects: { kind: 'Secret', stringData: { a: 'c4nary' } } } }],
      },
    };
    const refused = () => render(parseApplication(wrong), 'web-v1', { revisionHash: '' });
    expect(refused).toThrow(/found .*Secret/);
    expect(refused).not.toThrow(/c4nary/);
  });
});
