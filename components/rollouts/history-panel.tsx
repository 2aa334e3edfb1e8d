'use client';

import { PageTabs } from '@/components/live/address/page-tabs';
import { Ago } from '@/components/live/ago';
import { Timeline } from '@/components/live/timeline';
import { Badge } from '@/components/ui/badge';
import { Panel } from '@/components/ui/panel';
import { ScrollRegion } from '@/components/ui/scroll-region';
import { DECISION_PHASE_TONE, VERB_WORD } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { DecisionView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';

/** Who decided what, and what happened. */
export function HistoryPanel({ rollout }: { readonly rollout: Pick<RolloutDetail, 'decisions' | 'timeline'> }) {
  const { decisions, timeline } = rollout;
  return (
    <Panel>
      <PageTabs
        label={t.history}
        tabs={[
          { id: 'timeline', label: t.timeline, count: timeline.length, body: <Timeline entries={timeline} /> },
          { id: 'decisions', label: t.decisions, count: decisions.length, body: <Decisions decisions={decisions} /> },
        ]}
      />
    </Panel>
  );
}

function Decisions({ decisions }: { readonly decisions: readonly DecisionView[] }) {
  if (decisions.length === 0) return <p className="px-4 py-6 text-ink-3">{t.noDecisionsAboutThisRollout}</p>;
  return (
    <ScrollRegion tag="ol" label={t.decisions} className="max-h-[420px] divide-y">
      {decisions.map((decision) => (
        <li key={decision.key} className="px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium">{VERB_WORD[decision.verb]}</span>
            {decision.stage === null ? null : <span className="text-ink-3">{t.afterStage(decision.stage)}</span>}
            <span className="text-ink-3">{t.by}</span>
            <span className="min-w-0 font-medium wrap-anywhere">{decision.user}</span>
            <Badge tone={DECISION_PHASE_TONE[decision.phase]}>{decision.phase}</Badge>
            <span className="ml-auto text-ink-3 text-xs">
              <Ago at={decision.createdAt} />
            </span>
          </div>
          {decision.reason ? <p className="mt-1 border-line-strong border-l-2 pl-2.5 text-ink-2 wrap-anywhere">{decision.reason}</p> : null}
          {decision.message ? (
            <p className="mt-0.5 text-ink-3 text-xs wrap-anywhere">
              <Sentence text={decision.message} />
            </p>
          ) : null}
        </li>
      ))}
    </ScrollRegion>
  );
}
