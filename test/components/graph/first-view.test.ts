import { describe, expect, it } from 'vitest';
import { firstView, READ_ZOOM, roomFor, worstOf } from '@/components/graph/first-view';
import type { NodePosition } from '@/components/graph/layout';
import { NODE_HEIGHT, NODE_WIDTH } from '@/components/graph/layout';
import type { HealthStatus } from '@/lib/contract/health';

/** The height of a name in a node. */
const NAME_PX = 13;
const SIZE = { width: 1150, height: 640 };
const row = (columns: number) =>
  new Map(Array.from({ length: columns }, (_, at): [string, NodePosition] => [`node-${at}`, { id: `node-${at}`, x: at * 260, y: 0 }]));
/** The nodes that are wholly in sight. */
const inSight = (spots: ReadonlyMap<string, NodePosition>, { x, y, zoom }: ReturnType<typeof firstView>, { width, height } = SIZE) =>
  [...spots.values()]
    .filter(
      (spot) =>
        spot.x * zoom + x >= 0 &&
        (spot.x + NODE_WIDTH) * zoom + x <= width &&
        spot.y * zoom + y >= 0 &&
        (spot.y + NODE_HEIGHT) * zoom + y <= height,
    )
    .map(({ id }) => id);
const healths = (told: Readonly<Record<string, HealthStatus>>) => Object.entries(told).map(([id, health]) => ({ id, health }));

describe('the first view of a graph', () => {
  it('[issue 14.2] is all of a graph of five columns, whatever is picked, with names of 11 pixels or more', () => {
    const spots = row(5);
    const view = firstView({ size: SIZE, spots, lookAt: 'node-4' });
    expect(inSight(spots, view)).toEqual([...spots.keys()]);
    expect(view.zoom * NAME_PX).toBeGreaterThanOrEqual(11);
  });

  it('[issue 14.2] is the beginning of a graph of seven columns, in which names would be too small to read', () => {
    const spots = row(7);
    const view = firstView({ size: SIZE, spots, lookAt: 'node-0' });
    expect(inSight(spots, view)).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-4']);
    expect(view.zoom * NAME_PX).toBeGreaterThanOrEqual(11);
  });

  it('[issue 14.2] makes a small graph no larger than it is, in the middle of the width and high up, where a first screen shows it', () => {
    const spots = row(2);
    expect(firstView({ size: SIZE, spots, lookAt: undefined })).toEqual({ x: 345, y: 64, zoom: 1 });
  });

  it('[issue 14.2] of a graph that cannot be read as a whole is its beginning, as long as what is looked at is in it', () => {
    const spots = row(30);
    const view = firstView({ size: SIZE, spots, lookAt: 'node-3' });
    expect(view).toEqual(firstView({ size: SIZE, spots, lookAt: undefined }));
    expect(view.zoom).toBe(READ_ZOOM);
    expect(view.y).toBe(64);
    expect(inSight(spots, view)).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-4']);
  });

  it.each(['node-6', 'node-15', 'node-29'])(
    '[issue 14.2] has %s in sight where that is looked at, and no blank beside the graph',
    (lookAt) => {
      const spots = row(30);
      const view = firstView({ size: SIZE, spots, lookAt });
      expect(inSight(spots, view)).toContain(lookAt);
      expect(inSight(spots, view).length).toBeGreaterThanOrEqual(4);
    },
  );

  it('[issue 14.2] has what is looked at in sight on a narrow screen and far below', () => {
    const size = { width: 358, height: 420 };
    const spots = new Map(
      Array.from({ length: 90 }, (_, at): [string, NodePosition] => [`n${at}`, { id: `n${at}`, x: (at % 7) * 260, y: at * 60 }]),
    );
    for (const id of spots.keys()) expect(inSight(spots, firstView({ size, spots, lookAt: id }), size)).toContain(id);
  });

  it('[issue 14.2] has no more room than a small graph asks for: what is blank below it holds the map, which covers no node', () => {
    const spots = row(7);
    const { frame, map } = roomFor(spots);
    const { y, zoom } = firstView({ size: { width: 1150, height: frame }, spots, lookAt: 'node-0' });
    const blank = frame - (y + NODE_HEIGHT * zoom);
    expect(map).toEqual({ width: 200, height: 40 });
    expect(blank).toBeGreaterThan(map.height + 24);
    expect(blank).toBeLessThan(100);
  });

  it('[issue 14.2] asks for more room the higher a graph is, with a map of its proportions within bounds', () => {
    const column = (lines: number) =>
      new Map(Array.from({ length: lines }, (_, at): [string, NodePosition] => [`n${at}`, { id: `n${at}`, x: 0, y: at * 60 }]));
    const [low, high] = [roomFor(column(2)), roomFor(column(30))];
    expect(low).toEqual({ frame: 64 + 104 + 24 + 104 + 24, map: { width: 200, height: 104 } });
    expect(high).toEqual({ frame: 64 + 1784 + 24 + 150 + 24, map: { width: 200, height: 150 } });
  });

  it('[issue 14.2] looks at what is in the worst way, furthest along, and at nothing where all is well', () => {
    const spots = row(4);
    expect(worstOf(healths({ 'node-0': 'InProgress', 'node-1': 'Failed', 'node-2': 'Failed', 'node-3': 'Current' }), spots)).toBe('node-2');
    expect(worstOf(healths({ 'node-0': 'Current', 'node-1': 'InProgress', gone: 'Failed' }), spots)).toBe('node-1');
    expect(worstOf(healths({ 'node-0': 'Current' }), spots)).toBeUndefined();
  });
});
