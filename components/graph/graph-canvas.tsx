'use client';

import '@xyflow/react/dist/base.css';
import type { ReactFlowInstance, Viewport } from '@xyflow/react';
import { MiniMap, Panel, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { Maximize, Minus, Plus } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { HEALTH_STYLE } from '@/components/ui/status/tone';
import type { GraphNode } from '@/lib/contract/graph-rows';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { t } from '@/lib/words/catalogue/delivery/graph';
import { firstView, roomFor, worstOf } from './first-view';
import { GraphEdges } from './graph-edges';
import { neighbour } from './graph-keys';
import type { FlowNode } from './graph-node';
import { GraphNodeBox } from './graph-node';
import { FAR, NODE_HEIGHT, NODE_WIDTH } from './layout';
import { matcherOf } from './matches';
import type { Layout } from './use-layout';

const NODE_TYPES = { object: GraphNodeBox };
const [LEAST_ZOOM, MAX_ZOOM] = [0.02, 1.6];
const MOVE_MS = 160;

export interface GraphCanvasProps {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  readonly layout: Layout;
  readonly picked: string | null;
  /** What the list is narrowed to: all other nodes are faded. */
  readonly query: TreeQuery;
  /** What is picked at this moment, which is drawn a moment later: keys begin there. */
  readonly pickedNow: () => string | null;
  /** Somebody picks a node; `look` when they want to see it close up. */
  readonly onPick: (node: GraphNode, look: boolean) => void;
}

/** The drawn graph: moved and zoomed by mouse, finger and keyboard. */
export function GraphCanvas(props: GraphCanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}

function Canvas(props: GraphCanvasProps) {
  const { label, nodes, layout, picked, query, onPick } = props;
  const frame = useRef<HTMLDivElement>(null);
  const flow = useReactFlow<FlowNode>();
  const drawn = useMemo(() => toFlow({ nodes, layout, picked, query }), [nodes, layout, picked, query]);
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  useShowPicked(picked, layout, flow);
  const far = useCallback((_: unknown, { zoom }: Viewport) => frame.current?.toggleAttribute('data-far', zoom < FAR), []);
  return (
    <section
      ref={frame}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk from node to node; the list says the same in words
      tabIndex={0}
      onKeyDown={(event) => press(event, { ...props, byId }, flow)}
      data-layout-ms={Math.round(layout.ms)}
      className="group/graph focus-inset h-full"
    >
      <ReactFlow
        nodes={drawn}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, { data }) => onPick(data.node, true)}
        onMove={far}
        onMoveStart={() => frame.current?.toggleAttribute('data-moving', true)}
        onMoveEnd={() => frame.current?.toggleAttribute('data-moving', false)}
        onInit={(instance) => begin(instance, frame.current, props)}
        minZoom={LEAST_ZOOM}
        maxZoom={MAX_ZOOM}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        panOnScroll
        zoomActivationKeyCode={['Control', 'Meta']}
        attributionPosition="bottom-center"
        className="invisible group-data-begun/graph:visible [--xy-attribution-background-color:transparent]"
      >
        <GraphEdges nodes={nodes} spots={layout.spots} />
        <Overview size={roomFor(layout.spots).map} />
        <ZoomButtons />
      </ReactFlow>
      <p className="sr-only" aria-live="polite">
        {picked === null ? '' : formatNode(byId.get(picked))}
      </p>
    </section>
  );
}

interface Walked extends Pick<GraphCanvasProps, 'layout' | 'pickedNow' | 'onPick'> {
  readonly byId: ReadonlyMap<string, GraphNode>;
}

/** Arrow keys walk from node to node, Enter looks at one close up, and others zoom. */
function press(event: KeyboardEvent, { byId, layout, pickedNow, onPick }: Walked, flow: ReactFlowInstance<FlowNode>): void {
  if (event.target !== event.currentTarget) return;
  const now = pickedNow();
  const at = now !== null && layout.spots.has(now) ? now : null;
  const next = neighbour(at, event.key, layout.spots) ?? (event.key === 'Enter' ? at : undefined);
  const node = byId.get(next ?? '');
  if (node !== undefined) onPick(node, event.key === 'Enter');
  else if (!zoomBy(event.key, flow)) return;
  event.preventDefault();
}

const HEALTH_COLOR = { good: 'good', busy: 'busy', warn: 'warn', bad: 'bad', odd: 'odd', idle: 'ink-4' } as const;

/** The whole graph in small, and which part of it is seen. */
function Overview({ size }: { readonly size: { readonly width: number; readonly height: number } }) {
  return (
    <MiniMap<FlowNode>
      ariaLabel={t.whereInTheGraphThis}
      pannable
      zoomable
      nodeColor={({ data }) => `var(--color-${HEALTH_COLOR[HEALTH_STYLE[data.node.health].tone]})`}
      nodeStrokeWidth={0}
      maskColor="var(--color-pressed)"
      bgColor="var(--color-panel)"
      style={size}
      className="!m-3 overflow-hidden rounded-md border max-sm:origin-bottom-right max-sm:scale-60"
    />
  );
}

function ZoomButtons() {
  const flow = useReactFlow<FlowNode>();
  return (
    <Panel position="top-right" className="m-3! flex gap-1">
      <ZoomButton name={t.zoomOut} onPress={() => flow.zoomOut({ duration: MOVE_MS })}>
        <Minus size={14} aria-hidden />
      </ZoomButton>
      <ZoomButton name={t.zoomIn} onPress={() => flow.zoomIn({ duration: MOVE_MS })}>
        <Plus size={14} aria-hidden />
      </ZoomButton>
      <Button onClick={() => flow.fitView({ duration: MOVE_MS })}>
        <Maximize size={13} aria-hidden /> {t.showAll}
      </Button>
    </Panel>
  );
}

function ZoomButton({ name, onPress, children }: { readonly name: string; readonly onPress: () => void; readonly children: ReactNode }) {
  return (
    <Button size="icon" aria-label={name} title={name} onClick={onPress}>
      {children}
    </Button>
  );
}

function formatNode(node: GraphNode | undefined): string {
  if (node === undefined) return '';
  const leads = node.edges.length === 0 ? [] : [t.leadsTo(node.edges.length)];
  return [`${node.kind} ${node.name}`, HEALTH_STYLE[node.health].word, node.message, ...leads].filter((part) => part !== '').join(', ');
}

/** Nodes at their places; what has no place yet is not drawn. */
function toFlow({ nodes, layout: { spots }, picked, query }: Pick<GraphCanvasProps, 'nodes' | 'layout' | 'picked' | 'query'>): FlowNode[] {
  const isMatch = matcherOf(query);
  return nodes.flatMap((node): FlowNode[] => {
    const spot = spots.get(node.id);
    return spot === undefined
      ? []
      : [
          {
            id: node.id,
            type: 'object',
            position: spot,
            width: NODE_WIDTH,
            height: NODE_HEIGHT,
            selected: node.id === picked,
            data: { node, isFaded: !isMatch(node) },
          },
        ];
  });
}

type Flow = Pick<ReactFlowInstance<FlowNode>, 'setCenter' | 'fitView' | 'getZoom' | 'zoomIn' | 'zoomOut' | 'setViewport'>;

/** Looks at what is picked, or else at what is worst, as far as not all of the graph can be seen. */
function begin(
  flow: Flow,
  frame: HTMLElement | null,
  { nodes, layout: { spots }, picked }: Pick<GraphCanvasProps, 'nodes' | 'layout' | 'picked'>,
): void {
  const size = { width: frame?.clientWidth ?? 0, height: frame?.clientHeight ?? 0 };
  const lookAt = picked !== null && spots.has(picked) ? picked : worstOf(nodes, spots);
  void flow.setViewport(firstView({ size, spots, lookAt }));
  // Drawn before that it would be seen to jump.
  requestAnimationFrame(() => requestAnimationFrame(() => frame?.toggleAttribute('data-begun', true)));
}

/** Brings what was picked by keyboard or elsewhere into sight. */
function useShowPicked(picked: string | null, layout: Layout, flow: Flow): void {
  const shown = useRef(picked);
  useEffect(() => {
    if (picked === shown.current) return;
    shown.current = picked;
    const spot = picked === null ? undefined : layout.spots.get(picked);
    if (spot !== undefined)
      void flow.setCenter(spot.x + NODE_WIDTH / 2, spot.y + NODE_HEIGHT / 2, { zoom: Math.max(flow.getZoom(), FAR), duration: MOVE_MS });
  }, [picked, layout, flow]);
}

function zoomBy(key: string, flow: Flow): boolean {
  if (key === '+' || key === '=') void flow.zoomIn({ duration: MOVE_MS });
  else if (key === '-') void flow.zoomOut({ duration: MOVE_MS });
  else if (key === '0') void flow.fitView({ duration: MOVE_MS });
  else return false;
  return true;
}
