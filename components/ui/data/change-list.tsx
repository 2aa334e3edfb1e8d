import { ArrowRightLeft, Check, ChevronRight, CircleHelp, CircleSlash, Lock, OctagonX, Pencil, Plus, Trash2 } from 'lucide-react';
import type { ComponentType } from 'react';
import { Sentence } from '@/components/ui/time/sentence';
import type { ChangeRow, ChangeVerdict } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/console/ui';
import { cx } from '../cx';
import type { Tone } from '../status/tone';
import { TONE_TEXT } from '../status/tone';
import { DiffView } from './diff-view';

interface VerdictLook {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
}

/** How a verdict looks. */
export const VERDICT_STYLE: Readonly<Record<ChangeVerdict, VerdictLook>> = {
  refused: { word: t.refused, tone: 'bad', icon: OctagonX },
  deleted: { word: t.deleted, tone: 'bad', icon: Trash2 },
  held: { word: t.held, tone: 'warn', icon: Lock },
  changed: { word: t.changed, tone: 'busy', icon: Pencil },
  new: { word: t.new, tone: 'good', icon: Plus },
  'handed-over': { word: t.handedOver, tone: 'busy', icon: ArrowRightLeft },
  kept: { word: t.kept, tone: 'idle', icon: Check },
  gone: { word: t.alreadyGone, tone: 'idle', icon: CircleSlash },
  unknown: { word: t.notKnown, tone: 'odd', icon: CircleHelp },
};

/** A verdict as shape, word and colour. */
export function Verdict({ verdict }: { readonly verdict: ChangeVerdict }) {
  const { word, tone, icon: Icon } = VERDICT_STYLE[verdict];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap font-medium', TONE_TEXT[tone])}>
      <Icon size={13} aria-hidden />
      {word}
    </span>
  );
}

/** A row with or without a difference to show. */
export type ListedChange = Omit<ChangeRow, 'diff' | 'apiVersion' | 'uid'> & { readonly diff?: ChangeRow['diff'] };

/** Object by object: what happens to it, why, what goes with it, and how it differs. */
export function ChangeList({ rows, label }: { readonly rows: readonly ListedChange[]; readonly label: string }) {
  return (
    <ul aria-label={label} className="divide-y">
      {rows.map((row) => (
        <li key={row.id} className="grid grid-cols-1 items-start gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
          <Verdict verdict={row.verdict} />
          <div className="min-w-0">
            <p className="wrap-anywhere">
              <span className="text-ink-3">{row.kind}</span> <span className="font-medium">{row.name}</span>
              {row.ns ? <span className="text-ink-3"> {t.in(row.ns)}</span> : null}
            </p>
            <p className="text-ink-3 text-xs wrap-anywhere">
              <Sentence text={row.why} />
            </p>
            {row.blast.map((line) => (
              <p key={line} className="text-warn text-xs wrap-anywhere">
                <Sentence text={line} />
              </p>
            ))}
            {row.diff && row.diff.length > 0 ? <Difference row={row} diff={row.diff} /> : null}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Difference({ row, diff }: { readonly row: ListedChange; readonly diff: NonNullable<ChangeRow['diff']> }) {
  const count = (sign: string) => diff.filter((line) => line.sign === sign).length;
  return (
    <details className="group mt-1">
      <summary className="inline-flex cursor-pointer list-none items-center gap-1 rounded-sm font-medium text-accent text-xs hover:underline">
        <ChevronRight size={12} aria-hidden className="transition-transform group-open:rotate-90" />
        {t.whatDiffers}
        <span className="font-normal text-ink-3">{t.addedRemoved(count('+'), count('-'))}</span>
      </summary>
      <div className="mt-1.5">
        <DiffView lines={diff} label={t.whatDiffersIn(row.kind, row.name)} />
      </div>
    </details>
  );
}
