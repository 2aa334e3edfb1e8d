'use client';

import { useEffect, useRef, useState } from 'react';
import type { GraphNode } from '@/lib/contract/graph-rows';
import type { NodePosition } from './layout';
import type { LayoutRequest, LayoutResult } from './layout-worker';

export interface Layout {
  readonly spots: ReadonlyMap<string, NodePosition>;
  /** Milliseconds that it took, off the main thread. */
  readonly ms: number;
}

/** Lays nodes out in a worker. The former layout stays until the next one is there; null before the first, `failed` where there is no worker. */
export function useLayout(nodes: readonly GraphNode[]): Layout | 'failed' | null {
  const [layout, setLayout] = useState<Layout | 'failed' | null>(null);
  const worker = useRef<Worker | null>(null);
  const asked = useRef(0);
  // Statuses change often and places do not: only other nodes or edges ask for another layout.
  const shape = JSON.stringify(nodes.map(({ id, edges }) => [id, edges.map(({ to, kind }) => [to, kind])]));
  useEffect(() => {
    const own = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    own.addEventListener('message', ({ data }: MessageEvent<LayoutResult>) => {
      if (data.question !== asked.current) return;
      setLayout({ spots: new Map(data.spots.map((spot) => [spot.id, spot])), ms: data.ms });
    });
    own.addEventListener('error', () => setLayout('failed'));
    worker.current = own;
    return () => {
      worker.current = null;
      own.terminate();
    };
  }, []);
  useEffect(() => {
    const told = JSON.parse(shape) as [string, [string, GraphNode['edges'][number]['kind']][]][]; // written just above
    const question: LayoutRequest = {
      question: ++asked.current,
      nodes: told.map(([id, edges]) => ({ id, edges: edges.map(([to, kind]) => ({ to, kind })) })),
    };
    worker.current?.postMessage(question);
  }, [shape]);
  return layout;
}
