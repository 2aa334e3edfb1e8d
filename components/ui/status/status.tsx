import { CircleDot, CirclePause, FastForward, Hourglass, Lock, Minus, Trash2, Undo2 } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Activity, HealthStatus } from '@/lib/contract/health';
import { cx } from '../cx';
import { StatusGlyph } from './status-glyph';
import { ACTIVITY_STYLE, HEALTH_STYLE, TONE_TEXT } from './tone';

/** Health as shape, word and colour. */
export function Health({ health, className }: { readonly health: HealthStatus; readonly className?: string }) {
  const { tone, word } = HEALTH_STYLE[health];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap align-top font-medium', TONE_TEXT[tone], className)}>
      <StatusGlyph health={health} />
      {/* What is well is quiet: in a table of thousands the colour belongs to what is not. */}
      <span className={health === 'Current' ? 'font-normal text-ink-2' : undefined}>{word}</span>
    </span>
  );
}

/** Health where there is no room for the word: the word is still there for those who listen, and on hover. */
export function HealthMark({ health }: { readonly health: HealthStatus }) {
  const { tone, word } = HEALTH_STYLE[health];
  return (
    <span className={cx('inline-flex', TONE_TEXT[tone])} title={word}>
      <StatusGlyph health={health} />
      <span className="sr-only">{word}</span>
    </span>
  );
}

const ACTIVITY_ICON: Readonly<Record<Activity, ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean }>>> = {
  idle: Minus,
  'rolling-out': FastForward,
  waiting: Hourglass,
  paused: CirclePause,
  aborting: Undo2,
  aborted: CircleDot,
  deleting: Trash2,
  held: Lock,
  suspended: CirclePause,
};

/** What an application or rollout is doing, as shape, word and colour. */
export function ActivityMark({ activity, className }: { readonly activity: Activity; readonly className?: string }) {
  const { tone, word } = ACTIVITY_STYLE[activity];
  const Icon = ACTIVITY_ICON[activity];
  return (
    <span
      className={cx(
        'inline-flex items-center gap-1.5 whitespace-nowrap align-top',
        activity === 'idle' ? 'text-ink-3' : TONE_TEXT[tone],
        className,
      )}
    >
      <Icon size={13} strokeWidth={2.2} aria-hidden />
      {word}
    </span>
  );
}
