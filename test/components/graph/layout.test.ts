import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neighbour } from '@/components/graph/graph-keys';
import type { LayoutInput, NodePosition } from '@/components/graph/layout';
import { layOut, NODE_HEIGHT, NODE_WIDTH } from '@/components/graph/layout';
import { EDGE_KINDS } from '@/lib/contract/graph-rows';

type Edge = LayoutInput['nodes'][number]['edges'][number];
const node = (id: string, ...edges: readonly (readonly [Edge['kind'], string])[]) => ({
  id,
  edges: edges.map(([kind, to]) => ({ kind, to })),
});
const spotsOf = (nodes: LayoutInput['nodes']) => new Map(layOut({ nodes }).map((spot): [string, NodePosition] => [spot.id, spot]));

const SHOP = [
  node('application', ['owns', 'revision']),
  node('revision', ['owns', 'tracker']),
  node('tracker', ['records', 'bad'], ['records', 'web'], ['records', 'service'], ['records', 'route']),
  node('bad'),
  node('web', ['owns', 'pod-1'], ['owns', 'pod-2']),
  node('service', ['selects', 'web']),
  node('route', ['routes', 'service']),
  node('pod-1'),
  node('pod-2'),
];

describe('the layout of a graph', () => {
  it('[issue 14.2] reads from left to right: application, revision, tracker, route, Service, workload, pods', () => {
    const spots = spotsOf(SHOP);
    const columns = ['application', 'revision', 'tracker', 'route', 'service', 'web', 'pod-1'].map((id) => spots.get(id)?.x ?? Number.NaN);
    expect(columns).toEqual([...columns].sort((a, b) => a - b));
    expect(new Set(columns).size).toBe(columns.length);
  });

  it('[issue 14.2] puts what leads to each other into one line, and the worst child into the line of its owner', () => {
    const spots = spotsOf(SHOP);
    const lines = (...ids: readonly string[]) => new Set(ids.map((id) => spots.get(id)?.y));
    expect(lines('application', 'revision', 'tracker', 'bad').size).toBe(1);
    expect(lines('route', 'service', 'web', 'pod-1').size).toBe(1);
    expect(lines('bad', 'route', 'pod-2').size).toBe(3);
  });

  it('[issue 14.2] puts many pods of one owner side by side, in their order, and all right of it', () => {
    const pods = Array.from({ length: 28 }, (_, at) => `pod-${at}`);
    const spots = spotsOf([node('set', ...pods.map((id) => ['owns', id] as const)), ...pods.map((id) => node(id))]);
    const read = pods.toSorted(
      (a, b) => (spots.get(a)?.y ?? 0) - (spots.get(b)?.y ?? 0) || (spots.get(a)?.x ?? 0) - (spots.get(b)?.x ?? 0),
    );
    expect(read).toEqual(pods);
    expect(new Set(pods.map((id) => spots.get(id)?.y)).size).toBe(7);
    expect(pods.every((id) => (spots.get(id)?.x ?? 0) > (spots.get('set')?.x ?? 0))).toBe(true);
  });

  const drawn = fc.nat({ max: 11 }).map(String);
  const anyGraph = fc.uniqueArray(
    fc.tuple(drawn, fc.array(fc.tuple(fc.constantFrom(...EDGE_KINDS), fc.oneof(drawn, fc.constant('elsewhere'))), { maxLength: 5 })),
    {
      selector: ([id]) => id,
    },
  );

  it('[issue 14.2] gives every node a place of its own, whatever rings and unknown ends its edges have', () => {
    fc.assert(
      fc.property(anyGraph, (told) => {
        const spots = layOut({ nodes: told.map(([id, edges]) => node(id, ...edges)) });
        expect(spots.map(({ id }) => id).toSorted()).toEqual(told.map(([id]) => id).toSorted());
        for (const [at, one] of spots.entries()) {
          for (const other of spots.slice(at + 1))
            expect(Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT).toBe(true);
        }
      }),
    );
  });
});

describe('arrow keys', () => {
  it('[issue 14.2] lead to the nearest node in their direction, to the first where none is picked, and nowhere at the edge', () => {
    const spots = spotsOf(SHOP);
    expect(neighbour(null, 'ArrowRight', spots)).toBe('application');
    expect(neighbour('tracker', 'ArrowRight', spots)).toBe('bad');
    expect(neighbour('pod-1', 'ArrowDown', spots)).toBe('pod-2');
    expect(neighbour('service', 'ArrowLeft', spots)).toBe('route');
    expect(neighbour('application', 'ArrowLeft', spots)).toBeUndefined();
    expect(neighbour('application', 'x', spots)).toBeUndefined();
  });
});
