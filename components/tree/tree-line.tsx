'use client';

import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/components/ui/cx';
import { HealthMark } from '@/components/ui/status/status';
import { HEALTH_STYLE, TONE_TEXT } from '@/components/ui/status/tone';
import { InsideTarget } from '@/components/ui/time/exact-time';
import { Sentence, useSentence } from '@/components/ui/time/sentence';
import { LongName } from '@/components/ui/words/long-name';
import type { TreeLine as Line, TreeNode } from '@/lib/contract/tree-rows';
import { deepEqual } from '@/lib/std/deep-equal';
import { t } from '@/lib/words/catalogue/delivery/tree';

const INDENT = ['pl-2', 'pl-6', 'pl-10', 'pl-14', 'pl-[72px]'] as const;

export interface TreeLineProps {
  readonly line: Line;
  /** Its place among all lines. */
  readonly at: number;
  readonly total: number;
  readonly id: string;
  readonly isActive: boolean;
  readonly isPicked: boolean;
}

/** A page is pushed with the lines that changed; only those are drawn anew. */
export const TreeLine = memo(DrawnLine, (before, after) => deepEqual(before, after));

function DrawnLine({ line, at, total, id, isActive, isPicked }: TreeLineProps) {
  const { depth, children, isClosed, owner } = line;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the line that is active
    <div
      role="treeitem"
      id={id}
      data-at={at}
      data-active={isActive || undefined}
      aria-posinset={at + 1}
      aria-setsize={total}
      aria-level={depth + 1}
      aria-selected={isPicked}
      {...(children > 0 ? { 'aria-expanded': !isClosed } : {})}
      className={cx(
        'flex h-10 cursor-pointer items-center gap-2 overflow-hidden border-b pr-4 print:h-auto print:min-h-8 print:break-inside-avoid print:py-1',
        INDENT[Math.min(depth, INDENT.length - 1)],
        isPicked ? 'bg-accent-soft' : 'hover:bg-hover',
        isActive && 'group-focus-visible:outline-2 group-focus-visible:outline-accent group-focus-visible:-outline-offset-2',
        line.known.source === 'cache' && 'is-stale',
      )}
    >
      <Toggle isThere={children > 0} isClosed={isClosed} />
      <div className="grid min-w-0 flex-1 grid-cols-1 gap-x-4 md:grid-cols-[minmax(0,1fr)_34cqi] md:items-center print:grid-cols-1">
        <p className="flex min-w-0 items-center gap-x-2">
          <HealthMark health={isClosed ? line.worst : line.health} />
          <span className="shrink-0 text-ink-3">{line.kind}</span>
          <LongName name={line.name} className="font-medium print:whitespace-normal print:wrap-anywhere" />
          {line.revision !== null && depth < 2 ? <Badge className="min-w-12 shrink-3 max-sm:hidden">{line.revision}</Badge> : null}
        </p>
        <InsideTarget value>
          <Message line={line} owner={owner} />
        </InsideTarget>
      </div>
      <div className="min-w-14 shrink-0 text-right text-ink-3 text-xs">
        <InsideTarget value>
          <Moment node={line} />
        </InsideTarget>
      </div>
    </div>
  );
}

/** For the mouse; the keyboard opens and closes with the arrow keys. */
function Toggle({ isThere, isClosed }: { readonly isThere: boolean; readonly isClosed: boolean }) {
  if (!isThere) return <span className="size-5 shrink-0" />;
  return (
    <span
      aria-hidden
      data-toggle=""
      className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-pressed hover:text-ink"
    >
      <ChevronRight size={13} className={cx('transition-transform', !isClosed && 'rotate-90')} />
    </span>
  );
}

/** What is said of the application itself stands at the head of its page, and is not said again here. */
function Message({ line: { origin, health, message }, owner }: { readonly line: Line; readonly owner: Line['owner'] }) {
  const said = origin === 'application' ? '' : message;
  const inZone = useSentence();
  return (
    <p
      className="line-clamp-1 min-w-0 text-ink-3 text-xs wrap-anywhere not-has-[span]:hidden max-md:pl-[22px] md:line-clamp-2 print:line-clamp-none print:pl-[22px]"
      title={inZone(said)}
    >
      {health === 'Current' ? null : <span className={TONE_TEXT[HEALTH_STYLE[health].tone]}>{HEALTH_STYLE[health].word}</span>}
      {said === '' ? null : (
        <span>
          {health === 'Current' ? '' : ': '}
          <Sentence text={said} />
        </span>
      )}
      {owner === null ? null : (
        <span>
          {health === 'Current' && said === '' ? t.in : t.inAfter} {owner.kind} {owner.name}
        </span>
      )}
    </p>
  );
}

/** The age of the object; of one that is not watched, the age of what we know. */
function Moment({ node: { known, createdAt } }: { readonly node: Pick<TreeNode, 'known' | 'createdAt'> }) {
  if (known.source === 'watch') return <Ago at={createdAt} none="" />;
  return (
    <span className={known.source === 'poll' ? 'text-ink-3' : 'text-warn'}>
      {known.source === 'poll' ? t.polled : t.asOf} <Ago at={known.at} />
    </span>
  );
}
