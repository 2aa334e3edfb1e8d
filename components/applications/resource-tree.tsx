'use client';

import { ChevronRight } from 'lucide-react';
import { memo, useState } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/components/ui/cx';
import { HealthMark } from '@/components/ui/status/status';
import { HEALTH_LOOK, TONE_TEXT } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { TreeNode } from '@/lib/contract/application-rows';
import { deepEqual } from '@/lib/std/deep-equal';
import { sayNumber } from '@/lib/words/figures';
import type { TreeLine } from './tree-rows';
import { toTreeLines } from './tree-rows';

const INDENT = ['pl-2', 'pl-7', 'pl-12', 'pl-[68px]', 'pl-[88px]'] as const;

export interface ResourceTreeProps {
  readonly nodes: readonly TreeNode[];
  readonly onOpen: (node: TreeNode) => void;
}

/** What an application consists of, the worst first; each line says how it is and why. */
export function ResourceTree({ nodes, onOpen }: ResourceTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  // Groups start closed, everything else open.
  const closed = new Set(nodes.flatMap(({ id, origin }) => (toggled.has(id) !== (origin === 'group') ? [id] : [])));
  return (
    <ul aria-label="Objects">
      {toTreeLines(nodes, closed).map((line) => (
        <Line key={line.node.id} line={line} isClosed={closed.has(line.node.id)} onToggle={toggle} onOpen={onOpen} />
      ))}
    </ul>
  );
}

interface LineProps {
  readonly line: TreeLine;
  readonly isClosed: boolean;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (node: TreeNode) => void;
}

/**
 * A row is pushed whole when one node of it changes. Drawing all of its lines anew took a fifth of a second, so only those that
 * differ are drawn; the handlers do the same whichever render they are of.
 */
const Line = memo(DrawnLine, (before, after) => before.isClosed === after.isClosed && deepEqual(before.line, after.line));

function DrawnLine({ line: { node, depth, children, revision, worst }, isClosed, onToggle, onOpen }: LineProps) {
  const canOpen = node.origin !== 'group';
  const message = sayBeside(node);
  return (
    <li
      className={cx(
        'draw-when-near relative flex items-start gap-2 py-1.5 pr-4',
        depth === 0 && 'border-t first:border-t-0',
        INDENT[Math.min(depth, INDENT.length - 1)],
        canOpen && 'hover:bg-hover has-[button:focus-visible]:bg-hover',
        node.known.source === 'cache' && 'is-stale',
      )}
    >
      {children > 0 ? (
        <button
          type="button"
          aria-expanded={!isClosed}
          aria-label={
            canOpen ? `${isClosed ? 'Show' : 'Hide'} what belongs to ${node.kind} ${node.name}` : `${isClosed ? 'Show' : 'Hide'} ${node.kind}: ${node.name}`
          }
          onClick={() => onToggle(node.id)}
          className="relative z-10 inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-pressed hover:text-ink"
        >
          <ChevronRight size={13} aria-hidden className={cx('transition-transform', !isClosed && 'rotate-90')} />
        </button>
      ) : (
        <span className="size-5 shrink-0" />
      )}
      <span className="mt-[3px] inline-flex">
        <HealthMark health={isClosed ? worst : node.health} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-ink-3">{node.kind}</span>
          {canOpen ? (
            <button type="button" onClick={() => onOpen(node)} className="min-w-0 break-all rounded-sm text-left font-medium after:absolute after:inset-0">
              {node.name}
            </button>
          ) : (
            <GroupCounts node={node} listed={children} isClosed={isClosed} />
          )}
          {revision ? <Badge className="self-center">{revision}</Badge> : null}
          {message && node.health === 'Current' ? (
            <span className="hidden min-w-0 flex-1 truncate text-ink-3 text-xs md:inline">
              <Sentence text={message} />
            </span>
          ) : null}
        </p>
        {message && node.health !== 'Current' ? (
          <p className="text-ink-3 text-xs wrap-anywhere">
            <Sentence text={message} />
          </p>
        ) : null}
      </div>
      <span className="shrink-0 text-ink-3 text-xs leading-5">
        <Moment node={node} />
      </span>
    </li>
  );
}

/** What is said of the application itself stands at the head of its page, and is not said again here. */
const sayBeside = ({ origin, message }: TreeNode) => (origin === 'application' ? '' : message);

/** The age of the object; of one that is not watched, the age of what we know. */
function Moment({ node: { known, createdAt } }: { readonly node: TreeNode }) {
  if (known.source === 'watch') return <Ago at={createdAt} none="" />;
  return (
    <span className={known.source === 'poll' ? 'text-ink-3' : 'text-warn'}>
      {known.source === 'poll' ? 'polled' : 'as of'} <Ago at={known.at} />
    </span>
  );
}

/** How many stand behind one line, and how they are. Where there are more than are sent, it says that the rest is only counted. */
function GroupCounts({ node, listed, isClosed }: { readonly node: TreeNode; readonly listed: number; readonly isClosed: boolean }) {
  const total = node.count ?? 0;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <span className="font-medium">{sayNumber(total)} alike</span>
      {node.health === 'Current'
        ? null
        : (node.counts ?? []).map(({ health, count }) => (
            <span key={health} className={cx('text-xs', health === 'Current' ? 'text-ink-3' : TONE_TEXT[HEALTH_LOOK[health].tone])}>
              {sayNumber(count)} {HEALTH_LOOK[health].word.toLowerCase()}
            </span>
          ))}
      {!isClosed && listed < total ? <span className="text-ink-3 text-xs">the first {listed} are listed</span> : null}
    </span>
  );
}
