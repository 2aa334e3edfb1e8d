import { Badge } from '@/components/ui/badge';
import type { Tone } from '@/components/ui/status/tone';
import type { TrackerRow } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/trackers';

/** How a state looks and is called. */
export const STATE_STYLE: Readonly<Record<TrackerRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  current: { tone: 'good', word: t.current },
  target: { tone: 'busy', word: t.target },
  unapplied: { tone: 'bad', word: t.notApplied },
  previous: { tone: 'idle', word: t.previous },
  rejected: { tone: 'bad', word: t.rejected },
  stray: { tone: 'warn', word: t.stray },
  terminating: { tone: 'idle', word: t.terminating },
  unreadable: { tone: 'bad', word: t.unreadable },
};

/** What a tracker is in the life of its application. */
export function TrackerState({ state }: { readonly state: TrackerRow['state'] }) {
  return <Badge tone={STATE_STYLE[state].tone}>{STATE_STYLE[state].word}</Badge>;
}
