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
const CROSS = 'M-2.4 7.6 2.4 12.4M2.4 7.6-2.4 12.4';
const DOT = 'M0,10Z';
/** By shape as well as by colour, whose accent is the new revision's: one that is open is hollow with a dot, one that expired is hollow, one that was rejected crossed. */
const MARK: Readonly<Record<DecisionView['phase'], { readonly look: string; readonly inner?: readonly [shape: string, look: string] }>> = {
  Accepted: { look: 'fill-good' },
  Rejected: { look: 'fill-bad', inner: [CROSS, 'stroke-panel stroke-[1.6]'] },
  Pending: { look: 'fill-panel stroke-warn stroke-2', inner: [DOT, 'stroke-warn stroke-[4]'] },
  Expired: { look: 'fill-panel stroke-ink-3 stroke-2' },
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
                <Mark phase={decision.phase} />
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
          <svg aria-hidden="true" width="11" height="11" viewBox="-9 1 18 18">
            <Mark phase={phase} />
          </svg>
          {t.markWords[phase]}
        </li>
      ))}
      <li className="flex items-center gap-1">
        <svg aria-hidden="true" width="6" height="6" viewBox="0 0 6 6">
          <path d="M3 3Z" strokeWidth="6" strokeLinecap="round" className="stroke-ink-4" />
        </svg>
        {t.event}
      </li>
    </ul>
  );
}

function Mark({ phase }: { readonly phase: DecisionView['phase'] }) {
  const { look, inner } = MARK[phase];
  return (
    <>
      <path d={DIAMOND} className={look} />
      {inner ? <path d={inner[0]} strokeLinecap="round" className={inner[1]} /> : null}
    </>
  );
}
