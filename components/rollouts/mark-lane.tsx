import { VERB_WORD } from '@/components/ui/status/tone';
import { useSentence } from '@/components/ui/time/sentence';
import type { DecisionView, TimelineEntry } from '@/lib/contract/rollout-rows';
import { parseInstant } from '@/lib/std/instant';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

export interface MarkLaneProps {
  readonly decisions: readonly DecisionView[];
  readonly timeline: readonly TimelineEntry[];
  readonly span: readonly [number, number];
}

/** Decisions and events on the same axis of time as the replicas above. */
export function MarkLane({ decisions, timeline, span }: MarkLaneProps) {
  const say = useSentence();
  const place = (iso: string) => {
    const at = parseInstant(iso);
    return at === undefined || at < span[0] || at > span[1] ? null : ((at - span[0]) / (span[1] - span[0])) * 100;
  };
  return (
    <div className="grid lg:grid-cols-[244px_minmax(0,1fr)]">
      <p className="px-4 pt-2 text-ink-3 text-xs lg:py-2">{t.decisionsAndEvents}</p>
      {/* The lane starts and ends where the chart's axis does. */}
      <div className="pr-5 pb-2 pl-9 lg:border-l lg:pt-2">
        <svg role="img" aria-label={t.decisionsAndEventsOverThe(decisions.length, timeline.length)} width="100%" height="20" className="overflow-visible">
          <line x1="0" x2="100%" y1="10" y2="10" stroke="var(--color-line)" />
          {timeline.map((entry) => {
            const x = place(entry.at);
            return x === null ? null : (
              <circle key={entry.key} cx={`${x}%`} cy="10" r="2.5" className="fill-ink-4">
                <title>{say(`${entry.action}: ${entry.message}`)}</title>
              </circle>
            );
          })}
          {decisions.map((decision) => {
            const x = place(decision.createdAt);
            return x === null ? null : (
              <svg key={decision.key} x={`${x}%`} overflow="visible" aria-hidden="true">
                <path
                  d="M0 3 7 10 0 17-7 10Z"
                  className={decision.phase === 'Rejected' ? 'fill-bad' : decision.phase === 'Accepted' ? 'fill-good' : 'fill-busy'}
                />
                <title>{t.byOf(VERB_WORD[decision.verb], decision.user, decision.phase)}</title>
              </svg>
            );
          })}
        </svg>
      </div>
    </div>
  );
}
