import { Badge } from '@/components/ui/badge';
import type { Tone } from '@/components/ui/status/tone';
import type { TrackerRow } from '@/lib/contract/tracker-rows';

/** How a state looks and is called. */
export const STATE_LOOK: Readonly<Record<TrackerRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  current: { tone: 'good', word: 'Current' },
  target: { tone: 'busy', word: 'Target' },
  unapplied: { tone: 'bad', word: 'Not applied' },
  previous: { tone: 'idle', word: 'Previous' },
  rejected: { tone: 'bad', word: 'Rejected' },
  stray: { tone: 'warn', word: 'Stray' },
  terminating: { tone: 'idle', word: 'Terminating' },
  unreadable: { tone: 'bad', word: 'Unreadable' },
};

/** What a tracker is in the life of its application. */
export function TrackerState({ state }: { readonly state: TrackerRow['state'] }) {
  return <Badge tone={STATE_LOOK[state].tone}>{STATE_LOOK[state].word}</Badge>;
}
