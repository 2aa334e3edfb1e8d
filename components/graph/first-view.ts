import type { Viewport } from '@xyflow/react';
import type { HealthStatus } from '@/lib/contract/health';
import { severityOf } from '@/lib/contract/health';
import type { NodePosition } from './layout';
import { NODE_HEIGHT, NODE_WIDTH } from './layout';

/** From here on the names of nodes, 13 pixels high, are 11 on the screen and can be read. */
export const READ_ZOOM = 0.85;
/** Room around the graph, in pixels. */
const MARGIN = 24;
/** Room above the beginning of the graph, for the buttons. However much room there is below, it begins there: a first screen shows little of that. */
const HEADROOM = 64;

/** The map of the whole graph, in pixels: as high as the graph is beside its width, within these. */
const MAP = { width: 200, least: 40, most: 150, around: 12 };

interface Shown {
  /** Of the part of the page in which it is drawn. */
  readonly size: { readonly width: number; readonly height: number };
  readonly spots: ReadonlyMap<string, NodePosition>;
  /** What must be in sight, where not all can be. */
  readonly lookAt: string | undefined;
}

/**
 * Where the graph is looked at first: all of it where its words can be read so, else at a size for reading, from its beginning on and as far along as
 * what must be in sight asks for.
 */
export function firstView({ size: { width, height }, spots, lookAt }: Shown): Viewport {
  const { across, down } = stretchesOf(spots);
  const fits = Math.min(scaleOf(width, across), scaleOf(height, down));
  if (fits >= READ_ZOOM) {
    const zoom = Math.min(1, fits);
    return { x: centre(width, across, zoom), y: high(height, down, zoom), zoom };
  }
  const spot = spots.get(lookAt ?? '');
  const zoom = READ_ZOOM;
  return {
    x: reach(width, { ...across, zoom, at: spot && { from: spot.x, to: spot.x + NODE_WIDTH }, before: MARGIN, place: centre }),
    y: reach(height, { ...down, zoom, at: spot && { from: spot.y, to: spot.y + NODE_HEIGHT }, before: HEADROOM, place: high }),
    zoom,
  };
}

/** How much room a graph asks for, in pixels: itself, the buttons above it, and the map below it, which covers no node. */
export function roomFor(spots: Shown['spots']): {
  readonly frame: number;
  readonly map: { readonly width: number; readonly height: number };
} {
  const { across, down } = stretchesOf(spots);
  const [width, height] = [across.to - across.from, down.to - down.from];
  const map = Math.round(Math.min(MAP.most, Math.max(MAP.least, (MAP.width * height) / width)));
  return { frame: HEADROOM + height + MARGIN + map + 2 * MAP.around, map: { width: MAP.width, height: map } };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function stretchesOf(spots: Shown['spots']): { readonly across: Stretch; readonly down: Stretch } {
  const all = [...spots.values()];
  const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
  return {
    across: { from: Math.min(...xs), to: Math.max(...xs) + NODE_WIDTH },
    down: { from: Math.min(...ys), to: Math.max(...ys) + NODE_HEIGHT },
  };
}

const scaleOf = (room: number, { from, to }: Stretch) => (room - 2 * MARGIN) / (to - from);

interface Reached extends Stretch {
  readonly zoom: number;
  readonly at: Stretch | undefined;
  /** What is left blank before its beginning. */
  readonly before: number;
  readonly place: Place;
}

type Place = (room: number, stretch: Stretch, zoom: number) => number;

const centre: Place = (room, { from, to }, zoom) => (room - (from + to) * zoom) / 2;

const high: Place = (room, stretch, zoom) => Math.min(HEADROOM - stretch.from * zoom, centre(room, stretch, zoom));

/** At its place where all of it is in sight, from the beginning where what is looked at is; else that stands in the middle, unless the graph ends before. */
function reach(room: number, { from, to, zoom, at, before, place }: Reached): number {
  if (scaleOf(room, { from, to }) >= zoom) return place(room, { from, to }, zoom);
  const begins = before - from * zoom;
  if (at === undefined || at.to * zoom + begins <= room - MARGIN) return begins;
  const ends = room - MARGIN - to * zoom;
  return Math.min(begins, Math.max(ends, centre(room, at, zoom)));
}

/** What is in the worst way, and of several the one furthest along: what stands before it is as it is for its sake. Undefined where all is well. */
export function worstOf(
  nodes: readonly { readonly id: string; readonly health: HealthStatus }[],
  spots: Shown['spots'],
): string | undefined {
  let worst: { readonly id: string; readonly rank: number; readonly x: number } | undefined;
  for (const { id, health } of nodes) {
    const spot = spots.get(id);
    if (spot === undefined || health === 'Current') continue;
    const rank = severityOf(health);
    if (worst === undefined || rank < worst.rank || (rank === worst.rank && spot.x > worst.x)) worst = { id, rank, x: spot.x };
  }
  return worst?.id;
}
