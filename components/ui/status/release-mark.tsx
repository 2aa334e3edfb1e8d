import {
  Anchor,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  CirclePause,
  CircleX,
  FastForward,
  FileDiff,
  GitCompareArrows,
  Hourglass,
  Lock,
  Undo2,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { ReleaseState } from '@/lib/contract/release-state';
import { cx } from '../cx';
import { RELEASE_STYLE, TONE_TEXT } from './tone';

const ICON: Readonly<Record<ReleaseState, ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean }>>> = {
  failed: CircleX,
  pending: Lock,
  refused: CircleAlert,
  'rolled-back': Undo2,
  drifted: GitCompareArrows,
  moved: FileDiff,
  held: Anchor,
  unknown: CircleHelp,
  changing: FastForward,
  waiting: Hourglass,
  suspended: CirclePause,
  'in-sync': CircleCheck,
};

/** The state of a Helm release as shape, word and colour. */
export function ReleaseMark({ state, className }: { readonly state: ReleaseState; readonly className?: string }) {
  const { tone, word } = RELEASE_STYLE[state];
  const Icon = ICON[state];
  return (
    <span className={cx('inline-flex items-center gap-1.5 whitespace-nowrap align-top font-medium', TONE_TEXT[tone], className)}>
      <Icon size={14} strokeWidth={2.2} aria-hidden />
      <span className={state === 'in-sync' ? 'font-normal text-ink-2' : undefined}>{word}</span>
    </span>
  );
}

/** The state of a Helm release where there is room for its shape only: the word is its title, and what a screen reader says. */
export function ReleaseGlyph({ state }: { readonly state: ReleaseState }) {
  const { tone, word } = RELEASE_STYLE[state];
  const Icon = ICON[state];
  return (
    <span className={cx('inline-flex', TONE_TEXT[tone])} title={word}>
      <Icon size={14} strokeWidth={2.2} aria-hidden />
      <span className="sr-only">{word}</span>
    </span>
  );
}
