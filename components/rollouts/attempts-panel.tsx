'use client';

import { Ago } from '@/components/live/ago';
import { Button } from '@/components/ui/button';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { AttemptView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { formatList } from '@/lib/words/figures';
import { StageRail } from './stage-rail';

const KIND_WORD: Readonly<Record<AttemptView['kind'], string>> = { rollout: t.rolloutTo, retry: t.retryOf, rollback: t.rollbackTo };
const OUTCOME_WORD: Readonly<Record<AttemptView['outcome'], string>> = {
  'under-way': t.inProgress,
  completed: t.completed,
  aborted: t.aborted,
  superseded: t.superseded,
};

export interface AttemptsPanelProps {
  readonly rollout: RolloutDetail;
  /** The one that is looked at; undefined before the first target. */
  readonly attempt: AttemptView | undefined;
  readonly onChoose: (key: string) => void;
}

/** The stages of an attempt, and the others to choose from. */
export function AttemptsPanel({ rollout, attempt, onChoose }: AttemptsPanelProps) {
  const { attempts } = rollout;
  if (attempt === undefined || attempt.stages.length === 0) return null;
  const isPresent = attempt === attempts[0];
  return (
    <Panel
      title={isPresent ? stageTitle(rollout) : nameAttempt(attempt)}
      note={isPresent && rollout.stageCountEstimated && rollout.activity !== 'aborting' ? t.estimatedTheNumberOfStages : undefined}
      actions={
        attempts.length < 2 ? undefined : (
          <fieldset aria-label={t.attempts} className="flex flex-wrap items-center gap-1">
            {[...attempts].reverse().map((one) => (
              <Button
                key={one.key}
                look={one === attempt ? 'secondary' : 'ghost'}
                aria-pressed={one === attempt}
                onClick={() => onChoose(one.key)}
                title={describeAttempt(one)}
              >
                {nameAttempt(one)}
              </Button>
            ))}
          </fieldset>
        )
      }
    >
      {isPresent ? null : (
        <p className="px-4 pt-3 text-ink-2">
          {rich(t.started(describeAttempt(attempt), <Ago at={attempt.startedAt} />))}
          {attempt.endedAt === null ? null : rich(t.ended(<Ago at={attempt.endedAt} />))}.
        </p>
      )}
      <StageRail attempt={attempt} revisions={isPresent ? rollout.revisions : []} />
    </Panel>
  );
}

/** What it was and how it ended, in a few words. */
export function nameAttempt({ kind, to, outcome }: AttemptView): string {
  return `${KIND_WORD[kind]} ${to}, ${OUTCOME_WORD[outcome]}`;
}

function describeAttempt({ kind, from, to, outcome, stages }: AttemptView): string {
  const done = stages.filter(({ state, way }) => state === 'done' && way === 'forward').length;
  return t.afterStages({
    kindWord: KIND_WORD[kind],
    to,
    part: from.length === 0 ? '' : t.from(formatList(from)),
    outcomeWord: OUTCOME_WORD[outcome],
    done,
  });
}

type Position = Pick<RolloutDetail, 'attempts' | 'currentStage' | 'stageCount' | 'promoted' | 'activity'>;

/** Where it stands; after “promote fully” the stage under way is the last one, whatever was planned before. */
export function stageTitle({ attempts, currentStage, stageCount, promoted, activity }: Position): string {
  if (activity === 'aborting') return t.returningStageOf(Math.max(1, currentStage), stageCount);
  const done = attempts[0]?.stages.filter(({ state, way }) => state === 'done' && way === 'forward').length ?? 0;
  if (activity === 'aborted') return t.abortedAfterStages(done);
  if (promoted) return t.lastStageOfPromotedFully(stageCount);
  return currentStage === 0 ? t.stagesAhead(stageCount) : t.stageOf(Math.min(currentStage, stageCount), stageCount);
}
