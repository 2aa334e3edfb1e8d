import { ArrowRightLeft, Check, CircleSlash, Lock, Plus, Trash2 } from 'lucide-react';
import type { ComponentType } from 'react';
import type { GARBAGE_VERDICTS, GarbageRow } from '@/lib/contract/tracker-rows';
import { cx } from '../cx';
import type { Tone } from '../status/tone';
import { TONE_TEXT } from '../status/tone';

export type GarbageVerdict = (typeof GARBAGE_VERDICTS)[number];

/** How a verdict looks, and its place: what is lost comes first. */
export const VERDICT_LOOK: Readonly<
  Record<GarbageVerdict, { readonly word: string; readonly tone: Tone; readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }> }>
> = {
  deleted: { word: 'Deleted', tone: 'bad', icon: Trash2 },
  held: { word: 'Held', tone: 'warn', icon: Lock },
  'handed-over': { word: 'Handed over', tone: 'busy', icon: ArrowRightLeft },
  new: { word: 'New', tone: 'good', icon: Plus },
  kept: { word: 'Kept', tone: 'idle', icon: Check },
  gone: { word: 'Already gone', tone: 'idle', icon: CircleSlash },
};

/** A verdict as shape, word and colour. */
export function Verdict({ verdict }: { readonly verdict: GarbageVerdict }) {
  const { word, tone, icon: Icon } = VERDICT_LOOK[verdict];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap font-medium', TONE_TEXT[tone])}>
      <Icon size={13} aria-hidden />
      {word}
    </span>
  );
}

/** Object by object: what happens to it, why, and what goes with it. */
export function GarbageList({ rows, label }: { readonly rows: readonly GarbageRow[]; readonly label: string }) {
  return (
    <ul aria-label={label} className="divide-y">
      {rows.map((row) => (
        <li key={row.id} className="grid grid-cols-1 items-start gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[7.5rem_1fr]">
          <Verdict verdict={row.verdict} />
          <div className="min-w-0">
            <p className="truncate">
              <span className="text-ink-3">{row.kind}</span> <span className="font-medium">{row.name}</span>
              {row.ns ? <span className="text-ink-3"> in {row.ns}</span> : null}
            </p>
            <p className="text-ink-3 text-xs">{row.why}</p>
            {row.blast.map((line) => (
              <p key={line} className="text-warn text-xs">
                {line}
              </p>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}
