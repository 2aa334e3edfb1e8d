import { VERB_WORD } from '@/components/ui/status/tone';
import { useSentence } from '@/components/ui/time/sentence';
import type { DecisionView, TimelineEntry } from '@/lib/contract/rollout-rows';
import { DECISION_PHASES } from '@/lib/contract/stage-decision';
import { parseInstant } from '@/lib/std/instant';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

export interface MarkLaneProps {
  readonly decisions: readonly DecisionView[];
  readonly timeline: readonly TimelineEntry[];
  readonly span: readonly [number, number];
}

const DIAMOND = 'M0 3 7 10 0 17-7 10Z';
/** One that is open, or that expired, is hollow: the accent is the new revision's. */
const MARK: Readonly<Record<DecisionView['phase'], string>> = {
  Accepted: 'fill-good',
  Rejected: 'fill-bad',
  Pending: 'fill-panel stroke-warn stroke-2',
  Expired: 'fill-panel stroke-ink-3 stroke-2',
};

/** Decisions and events on the same axis of time as the replicas above. */
export function MarkLane({ decisions, timeline, span }: MarkLaneProps) {
  const say = useSentence();
  const place = (iso: string) => {
    const at = parseInstant(iso);
    return at === undefined || at < span[0] || at > span[1] ? null : ((at - span[0]) / (span[1] - span[0])) * 100;
  };
  return (
    <div className="grid lg:grid-cols-[244px_minmax(0,1fr)]">
      <div className="px-4 pt-2 lg:py-2">
        <p className="text-ink-3 text-xs">{t.decisionsAndEvents}</p>
        <MarkLegend />
      </div>
      {/* The lane starts and ends where the chart's axis does. */}
      <div className="pr-5 pb-2 pl-9 lg:border-l lg:pt-2">
        <svg
          role="img"
          aria-label={t.decisionsAndEventsOverThe(decisions.length, timeline.length)}
          width="100%"
          height="20"
          className="overflow-visible"
        >
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
                <path d={DIAMOND} className={MARK[decision.phase]} />
                <title>{t.byOf(VERB_WORD[decision.verb], decision.user, decision.phase)}</title>
              </svg>
            );
          })}
        </svg>
      </div>
    </div>
  );
}

/** What each mark is. */
function MarkLegend() {
  return (
    <ul aria-label={t.marks} className="mt-1 flex flex-wrap gap-x-3 gap-y-0.5 text-2xs text-ink-3">
      {DECISION_PHASES.map((phase) => (
        <li key={phase} className="flex items-center gap-1">
          <span aria-hidden className={`size-2 rotate-45 ${SWATCH[phase]}`} /> {t.markWords[phase]}
        </li>
      ))}
      <li className="flex items-center gap-1">
        <span aria-hidden className="size-1.5 rounded-full bg-ink-4" /> {t.event}
      </li>
    </ul>
  );
}

const SWATCH: Readonly<Record<DecisionView['phase'], string>> = {
  Accepted: 'bg-good',
  Rejected: 'bg-bad',
  Pending: 'border-2 border-warn',
  Expired: 'border-2 border-ink-3',
};
