'use client';

import type { Node, NodeProps } from '@xyflow/react';
import { Boxes } from 'lucide-react';
import { memo } from 'react';
import { cx } from '@/components/ui/cx';
import { StatusGlyph } from '@/components/ui/status/status-glyph';
import { HEALTH_STYLE, TONE_TEXT } from '@/components/ui/status/tone';
import { LongName } from '@/components/ui/words/long-name';
import type { GraphNode } from '@/lib/contract/graph-rows';
import { deepEqual } from '@/lib/std/deep-equal';
import { t } from '@/lib/words/catalogue/delivery/graph';
import { formatNumber } from '@/lib/words/figures';

export type FlowNode = Node<{ readonly node: GraphNode; readonly isFaded: boolean }, 'object'>;

const SPEAKS: ReadonlySet<GraphNode['type']> = new Set(['application', 'revision', 'tracker']);

/** One node: its kind, its name, and how it is by shape, word and colour. */
export const GraphNodeBox = memo(DrawnNode, (before, after) => before.selected === after.selected && deepEqual(before.data, after.data));

function DrawnNode({ data: { node, isFaded }, selected }: NodeProps<FlowNode>) {
  const { tone, word } = HEALTH_STYLE[node.health];
  return (
    <div
      data-faded={isFaded || undefined}
      title={[`${node.kind} ${node.name}`, word, node.message].filter((part) => part !== '').join('\n')}
      className={cx(
        'flex h-11 w-[200px] items-center gap-1.5 rounded-md border px-2 shadow-panel group-data-far/graph:rounded-none group-data-far/graph:shadow-none',
        node.type === 'group' && 'border-dashed',
        SPEAKS.has(node.type) ? 'bg-sunken' : 'bg-panel',
        EDGE_TONE[node.health],
        isFaded && 'opacity-35',
        selected && 'outline-2 outline-accent outline-offset-1',
        node.known.source === 'cache' && 'is-stale',
        // From afar the colour is all that can be seen; what is well is quiet.
        node.health === 'Current' ? 'group-data-far/graph:bg-line-strong' : FAR_TONE[node.health],
      )}
    >
      <span className={cx('inline-flex shrink-0 group-data-far/graph:scale-150', TONE_TEXT[tone])}>
        <StatusGlyph health={node.health} size={16} />
      </span>
      <div className="min-w-0 flex-1 group-data-far/graph:hidden">
        <p className="flex items-center gap-[3px] truncate text-ink-3 text-xs">
          {node.type === 'group' ? <Boxes size={11} aria-hidden className="shrink-0" /> : null}
          <span className="truncate">{node.kind}</span>
          <span className={cx('shrink-0', node.health === 'Current' ? 'text-ink-3' : TONE_TEXT[tone])}>{word.toLowerCase()}</span>
        </p>
        <p className="flex items-baseline gap-1.5 text-sm">
          {node.type === 'group' ? (
            <span className="truncate font-medium">{formatGroup(node)}</span>
          ) : (
            <LongName name={node.name} className="font-medium" />
          )}
          {node.note === null ? null : <span className="shrink-0 text-2xs text-ink-3">{node.note}</span>}
        </p>
      </div>
    </div>
  );
}

const FAR_TONE: Readonly<Record<GraphNode['health'], string>> = {
  Current: '',
  InProgress: 'group-data-far/graph:bg-busy',
  Failed: 'group-data-far/graph:bg-bad',
  Unknown: 'group-data-far/graph:bg-odd',
  Terminating: 'group-data-far/graph:bg-ink-4',
  NotFound: 'group-data-far/graph:bg-warn',
};

const EDGE_TONE: Readonly<Record<GraphNode['health'], string>> = {
  Current: 'border-line-strong',
  InProgress: 'border-busy',
  Failed: 'border-bad',
  Unknown: 'border-odd',
  Terminating: 'border-line-strong',
  NotFound: 'border-warn',
};

/** How many stand behind a group, and how many of them are not well. */
export function formatGroup({ count, counts }: Pick<GraphNode, 'count' | 'counts'>): string {
  const rest = (counts ?? [])
    .filter(({ health }) => health !== 'Current')
    .map((one) => `${formatNumber(one.count)} ${HEALTH_STYLE[one.health].word.toLowerCase()}`);
  return [t.alike(count ?? 0), ...rest].join(', ');
}
