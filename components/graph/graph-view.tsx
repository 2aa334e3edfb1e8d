'use client';

import { Button } from '@/components/ui/button';
import type { GraphNode } from '@/lib/contract/graph-rows';
import { isNarrowed } from '@/lib/contract/lists/tree-query';
import { t } from '@/lib/words/catalogue/delivery/graph';
import { roomFor } from './first-view';
import type { GraphCanvasProps } from './graph-canvas';
import { GraphCanvas } from './graph-canvas';
import { GraphLegend } from './graph-legend';
import { matcherOf } from './matches';
import { useLayout } from './use-layout';

/** No higher than what is seen of the page below its head, the legend aside. */
const MOST = 'max(22rem, calc(100dvh - 14rem))';

export interface GraphViewProps extends Omit<GraphCanvasProps, 'layout'> {
  /** Puts what was taken apart back into groups; null while nothing was. */
  readonly onRegroup: (() => void) | null;
}

/** A graph laid out in a worker and drawn; while it is laid out for the first time, it says so. */
export function GraphView({ nodes, query, onRegroup, ...rest }: GraphViewProps) {
  const layout = useLayout(nodes);
  return (
    <div data-graph="">
      <div style={{ height: layout === null || layout === 'failed' ? undefined : `min(${roomFor(layout.spots).frame}px, ${MOST})` }}>
        {layout === null || layout === 'failed' ? (
          <p role="status" className="h-64 px-4 py-3 text-ink-3 text-xs">
            {layout === null ? t.layingOutNodes(nodes.length) : t.theGraphCouldNotBe}
          </p>
        ) : (
          <GraphCanvas nodes={nodes} layout={layout} query={query} {...rest} />
        )}
      </div>
      <div className="flex items-start justify-between gap-4 border-t px-4 py-1.5">
        <GraphLegend kinds={new Set(nodes.flatMap(({ edges }: GraphNode) => edges.map(({ kind }) => kind)))} />
        {isNarrowed(query) ? (
          <p className="ml-auto shrink-0 text-ink-3 text-xs">{t.nodesMatch(nodes.filter(matcherOf(query)).length)}</p>
        ) : null}
        {onRegroup === null ? null : (
          <Button size="sm" look="ghost" onClick={onRegroup}>
            {t.groupAgain}
          </Button>
        )}
      </div>
    </div>
  );
}
