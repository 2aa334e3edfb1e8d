'use client';

import type { Viewport } from '@xyflow/react';
import { getSmoothStepPath, Position, useOnViewportChange, useStoreApi, ViewportPortal } from '@xyflow/react';
import { memo, useCallback, useEffect, useState } from 'react';
import type { EdgeKind, GraphEdge as EdgeRow, GraphNode } from '@/lib/contract/graph-rows';
import { EDGE_KINDS } from '@/lib/contract/graph-rows';
import type { NodePosition } from './layout';
import { COLUMN_GAP, FAR, LINE_GAP, NODE_HEIGHT, NODE_WIDTH } from './layout';

const LINE: Readonly<Record<EdgeKind, string>> = {
  owns: 'stroke-ink-4',
  records: 'stroke-ink-4 [stroke-dasharray:2_3]',
  selects: 'stroke-accent',
  routes: 'stroke-accent [stroke-dasharray:6_3]',
  scales: 'stroke-ink-3 [stroke-dasharray:1_4]',
};

/** Where the line goes up or down: what owns and records beside its source, all else beside its target, so that they are told apart. */
const [BESIDE_SOURCE, BESIDE_TARGET] = [14, 12];
const CORNER = 6;

interface GraphEdgesProps {
  readonly nodes: readonly GraphNode[];
  readonly spots: ReadonlyMap<string, NodePosition>;
}

/**
 * All lines of the graph, each with the word for what it says; words are left out where they could not be read. The lines of a kind
 * are one path: a thousand elements would be drawn at every step of a zoom.
 */
export const GraphEdges = memo(function DrawnEdges({ nodes, spots }: GraphEdgesProps) {
  const edges = nodes.flatMap(({ id, edges: leaving }) => leaving.flatMap((told) => draw(told, spots.get(id), spots.get(told.to)) ?? []));
  return (
    <ViewportPortal>
      <svg aria-hidden className="pointer-events-none absolute top-0 left-0 -z-10 size-px overflow-visible">
        {EDGE_KINDS.map((kind) => {
          const lines = edges.filter((edge) => edge.kind === kind);
          return lines.length === 0 ? null : (
            <path key={kind} d={lines.map(({ path }) => path).join('')} className={`fill-none ${LINE[kind]}`} />
          );
        })}
        <Words edges={edges} />
      </svg>
    </ViewportPortal>
  );
});

/** The words that can be read where the graph rests, with a screen's width around it. Each step of a zoom lays out every word that is there anew. */
function Words({ edges }: { readonly edges: readonly Drawn[] }) {
  const store = useStoreApi();
  const [seen, setSeen] = useState<Seen>(ALL);
  const look = useCallback((viewport: Viewport) => setSeen(seenAt(viewport, store.getState())), [store]);
  useEffect(() => {
    const [x, y, zoom] = store.getState().transform;
    look({ x, y, zoom });
  }, [store, look]);
  useOnViewportChange({ onEnd: look });
  return (
    <g className="fill-ink-3 stroke-[3px] stroke-panel text-2xs [paint-order:stroke] group-data-far/graph:hidden">
      {edges.map(({ key, said, word }) =>
        word.x < seen.left || word.x > seen.right || word.y < seen.top || word.y > seen.bottom ? null : (
          <text key={key} {...word}>
            {said}
          </text>
        ),
      )}
    </g>
  );
}

/** A part of the graph. */
interface Seen {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const [FEWEST, MOST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const ALL: Seen = { left: FEWEST, right: MOST, top: FEWEST, bottom: MOST };
const NOTHING: Seen = { left: MOST, right: FEWEST, top: MOST, bottom: FEWEST };

/** What is on the screen, and around it; nothing from where no word could be read. */
function seenAt({ x, y, zoom }: Viewport, { width, height }: { readonly width: number; readonly height: number }): Seen {
  if (width === 0 || height === 0) return ALL; // nobody knows how large it is
  if (zoom < FAR) return NOTHING;
  return { left: (-x - width) / zoom, right: (2 * width - x) / zoom, top: (-y - height) / zoom, bottom: (2 * height - y) / zoom };
}

interface Drawn {
  readonly key: string;
  readonly kind: EdgeKind;
  readonly path: string;
  readonly said: string;
  /** Where its word stands, and which end of the word is there. */
  readonly word: { readonly x: number; readonly y: number; readonly textAnchor: 'start' | 'end' };
}

/** One line; undefined where an end has no place yet. */
function draw(told: EdgeRow, from: NodePosition | undefined, to: NodePosition | undefined): Drawn | undefined {
  if (from === undefined || to === undefined) return undefined;
  const ends = { sourceX: from.x + NODE_WIDTH, sourceY: from.y + NODE_HEIGHT / 2, targetX: to.x, targetY: to.y + NODE_HEIGHT / 2 };
  const isHung = told.kind === 'owns' || told.kind === 'records';
  const line = isHung && ends.targetX - ends.sourceX > 2 * COLUMN_GAP ? drawAbove(ends) : drawBetween(ends, isHung);
  return { key: `${from.id} ${told.kind} ${to.id}`, kind: told.kind, said: formatEdge(told), ...line };
}

interface Ends {
  readonly sourceX: number;
  readonly sourceY: number;
  readonly targetX: number;
  readonly targetY: number;
}

function drawBetween(ends: Ends, isHung: boolean): Pick<Drawn, 'path' | 'word'> {
  const { sourceX, sourceY, targetX, targetY } = ends;
  const centerX = isHung ? sourceX + BESIDE_SOURCE : targetX - BESIDE_TARGET;
  const [path] = getSmoothStepPath({
    ...ends,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
    borderRadius: CORNER,
    centerX,
  });
  if (isHung) return { path, word: { x: targetX - 5, y: targetY - 4, textAnchor: 'end' } };
  return { path, word: { x: sourceX + 8, y: sourceY + 11, textAnchor: 'start' } };
}

/** Past nodes that stand between: along the gap above their line, and down to the node. */
function drawAbove({ sourceX, sourceY, targetX, targetY }: Ends): Pick<Drawn, 'path' | 'word'> {
  const top = targetY - NODE_HEIGHT / 2;
  const gap = top - LINE_GAP / 2;
  return {
    path: `M${sourceX},${sourceY}H${sourceX + BESIDE_SOURCE}V${gap}H${targetX + BESIDE_SOURCE}V${top}`,
    word: { x: targetX - 5, y: gap - 2, textAnchor: 'end' },
  };
}

/** What an edge says: `selects`, `routes 80%`. */
function formatEdge({ kind, note }: EdgeRow): string {
  return note === null ? kind : `${kind} ${note}`;
}
