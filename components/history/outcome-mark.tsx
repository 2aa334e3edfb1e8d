import { CircleCheck, FastForward, SkipForward, Undo2 } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Tone } from '@/components/ui/status/tone';
import { TONE_TEXT } from '@/components/ui/status/tone';
import type { AttemptOutcome } from '@/lib/contract/history/history-rows';
import { SHOWN_WORD } from './history-words';

type Icon = ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean }>;

const LOOK: Readonly<Record<AttemptOutcome, { readonly tone: Tone; readonly icon: Icon }>> = {
  completed: { tone: 'good', icon: CircleCheck },
  aborted: { tone: 'bad', icon: Undo2 },
  superseded: { tone: 'idle', icon: SkipForward },
  'under-way': { tone: 'busy', icon: FastForward },
};

/** How an attempt ended, as shape, word and colour. */
export function OutcomeMark({ outcome }: { readonly outcome: AttemptOutcome }) {
  const { tone, icon: Shape } = LOOK[outcome];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-top ${TONE_TEXT[tone]}`}>
      <Shape size={13} strokeWidth={2.2} aria-hidden />
      {SHOWN_WORD[outcome]}
    </span>
  );
}
