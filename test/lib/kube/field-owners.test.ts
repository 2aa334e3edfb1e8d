import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathStep } from '@/lib/kube/field-owners';
import { ownerOf, readOwnedFields } from '@/lib/kube/field-owners';
import type { KubeObject } from '@/lib/kube/object';
import { formatPath } from '@/server/dispatch/drift/field-path';

const entry = (manager: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation: 'Update',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const object = (...managedFields: object[]): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', managedFields },
});
const ownerIn = (one: KubeObject, ...steps: PathStep[]) => ownerOf(readOwnedFields(one) ?? [], steps)?.manager;
const name = (value: string): PathStep => ({ key: 'name', value });

describe('who owns a field', () => {
  const web = object(
    entry('slipway.dev/dispatch', {
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:name': {},
                'f:args': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    }),
    entry(
      'kubectl-edit',
      { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:image': {} } } } } } },
      { time: '2026-01-02T00:00:00Z' },
    ),
    entry('kubectl', { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale', time: '2026-01-01T00:00:00Z' }),
    entry('guard', { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"guard/hold"': {} } } }),
  );
  const inWeb = (...steps: PathStep[]) => ownerIn(web, 'spec', 'template', 'spec', 'containers', name('web'), ...steps);

  it('[dispatch 13] finds the manager of a member, of a list entry by its key and of a value of a set', () => {
    expect(ownerIn(web, 'spec', 'replicas')).toBe('kubectl');
    expect(inWeb('image')).toBe('kubectl-edit');
    expect(ownerIn(web, 'metadata', 'finalizers', { item: 'guard/hold' })).toBe('guard');
    expect(readOwnedFields(web)?.find(({ owner }) => owner.manager === 'kubectl')?.owner).toEqual({
      manager: 'kubectl',
      operation: 'Update',
      subresource: 'scale',
      since: '2026-01-01T00:00:00Z',
    });
  });

  it('[dispatch 13] a list that is owned whole is owned to its entries; an entry of a port is found by its number alone', () => {
    expect(inWeb('args', 2)).toBe('slipway.dev/dispatch');
    expect(inWeb('ports', { key: 'containerPort', value: 80 }, 'containerPort')).toBe('slipway.dev/dispatch');
  });

  it('[dispatch 13] whoever set a member of a map is told, and not who made the map and has none of its members left, whoever wrote last', () => {
    const maker = (time: string) => entry('maker', { 'f:metadata': {}, 'f:data': {} }, { time });
    const hand = entry('kubectl-edit', { 'f:data': { 'f:made': {} } }, { time: '2026-01-01T00:00:00Z' });
    for (const time of ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z']) {
      expect(ownerIn(object(maker(time), hand), 'data', 'made'), time).toBe('kubectl-edit');
      expect(ownerIn(object(hand, maker(time)), 'data', 'made'), time).toBe('kubectl-edit');
      expect(ownerIn(object(hand, maker(time)), 'data', 'other'), time).toBe('maker');
    }
  });

  it('[dispatch 13] a map that somebody made is not theirs to its last member', () => {
    const labels = object(entry('maker', { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }));
    expect(ownerIn(labels, 'metadata', 'labels', 'a')).toBe('maker');
    expect(ownerIn(labels, 'metadata', 'labels', 'b')).toBeUndefined();
  });

  it('[dispatch 13] of several, the one that wrote last; nobody where the server notes nobody or what cannot be read', () => {
    const shared = object(
      entry('a', { 'f:spec': { 'f:x': {} } }, { time: '2026-01-01T00:00:00Z' }),
      entry('b', { 'f:spec': { 'f:x': {} } }, { time: '2026-01-03T00:00:00Z' }),
    );
    expect(ownerIn(shared, 'spec', 'x')).toBe('b');
    expect(readOwnedFields({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).toBeUndefined();
    expect(readOwnedFields(object({ manager: 'a', fieldsV1: 'text' }, {}))).toBeUndefined();
    expect(ownerIn(object(entry('a', { 'f:spec': { 'k:{not json': {} } })), 'spec', name('web'))).toBeUndefined();
  });

  const word = fc.stringMatching(/^[a-z][a-z./-]{0,6}$/);
  const value = fc.oneof(word, fc.integer({ min: 0, max: 99 }), fc.boolean());
  const step: fc.Arbitrary<PathStep> = fc.oneof(word, fc.record({ key: word, value }), fc.record({ item: value }));
  const path = fc.array(step, { minLength: 1, maxLength: 5 });
  const encode = (one: PathStep): string => {
    if (typeof one === 'string') return `f:${one}`;
    if (typeof one === 'number') return `i:${one}`;
    return 'key' in one ? `k:${JSON.stringify({ [one.key]: one.value })}` : `v:${JSON.stringify(one.item)}`;
  };
  const toFields = (steps: readonly PathStep[]): object => steps.reduceRight<object>((inner, one) => ({ [encode(one)]: inner }), {});

  it('[dispatch 13] finds every path that was noted, and all below it, and nothing beside it', () => {
    fc.assert(
      fc.property(path, path, fc.array(step, { maxLength: 2 }), (noted, other, below) => {
        const one = object(entry('somebody', toFields(noted)));
        expect(ownerIn(one, ...noted, ...below)).toBe('somebody');
        const [first] = other;
        if (first !== undefined && encode(first) !== encode(noted[0] ?? '')) expect(ownerIn(one, ...other)).toBeUndefined();
      }),
    );
  });

  it('[dispatch 13] tells two managers of two paths apart', () => {
    fc.assert(
      fc.property(path, word, word, (shared, left, right) => {
        fc.pre(left !== right);
        const one = object(entry('left', toFields([...shared, left])), entry('right', toFields([...shared, right])));
        expect([ownerIn(one, ...shared, left), ownerIn(one, ...shared, right)]).toEqual(['left', 'right']);
      }),
    );
  });
});

describe('a path as people read it', () => {
  it.each<[string, PathStep[]]>([
    ['spec.template.spec.containers[name=web].image', ['spec', 'template', 'spec', 'containers', name('web'), 'image']],
    ['metadata.labels["app.oam.dev/name"]', ['metadata', 'labels', 'app.oam.dev/name']],
    ['spec.ports[port=80].targetPort', ['spec', 'ports', { key: 'port', value: 80 }, 'targetPort']],
    ['spec.rules[0].host', ['spec', 'rules', 0, 'host']],
    ['metadata.finalizers[guard/hold]', ['metadata', 'finalizers', { item: 'guard/hold' }]],
  ])('[dispatch 13] %s', (text, steps) => {
    expect(formatPath(steps)).toBe(text);
  });
});
