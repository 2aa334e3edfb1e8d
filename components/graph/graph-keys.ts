import type { NodePosition } from './layout';

/** A node as the arrow keys see it: where it is. */
type Spots = ReadonlyMap<string, NodePosition>;

const DIRECTION: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** A step to the side is worth so much more than a step straight on. */
const ASIDE = 3;

/** The node that an arrow key leads to from another: the nearest in that direction; undefined where there is none. */
export function neighbour(from: string | null, key: string, spots: Spots): string | undefined {
  const direction = DIRECTION[key];
  if (direction === undefined) return undefined;
  const here = from === null ? undefined : spots.get(from);
  const [first] = spots.keys();
  if (here === undefined) return first;
  const [dx, dy] = direction;
  let [nearest, least]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const { id, x, y } of spots.values()) {
    const along = (x - here.x) * dx + (y - here.y) * dy;
    if (along <= 0) continue;
    const aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
    const cost = along + ASIDE * aside;
    if (cost < least) [nearest, least] = [id, cost];
  }
  return nearest;
}
