'use client';

import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { Button } from '@/components/ui/button';
import { Panel } from '@/components/ui/panel';
import type { AttemptView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { sayCount, sayList } from '@/lib/words/figures';
import { StageRail } from './stage-rail';

const KIND_WORD: Readonly<Record<AttemptView['kind'], string>> = { rollout: 'Rollout', retry: 'Retry', rollback: 'Rollback' };
const OUTCOME_WORD: Readonly<Record<AttemptView['outcome'], string>> = {
  'under-way': 'under way',
  completed: 'completed',
  aborted: 'aborted',
  superseded: 'superseded',
};

/** The stages of an attempt; of several the present one, until another is chosen. */
export function AttemptsPanel({ rollout }: { readonly rollout: RolloutDetail }) {
  const { attempts } = rollout;
  const [chosen, setChosen] = useState<string | null>(null);
  const attempt = attempts.find(({ key }) => key === chosen) ?? attempts[0];
  if (attempt === undefined || attempt.stages.length === 0) return null;
  const isPresent = attempt === attempts[0];
  return (
    <Panel
      title={isPresent ? stageTitle(rollout) : `${KIND_WORD[attempt.kind]} to ${attempt.to}, ${OUTCOME_WORD[attempt.outcome]}`}
      note={isPresent && rollout.stageCountEstimated ? 'planned for an ideal cluster; the count may change' : undefined}
      actions={
        attempts.length < 2 ? undefined : (
          <fieldset aria-label="Attempts" className="flex flex-wrap items-center gap-1">
            {[...attempts].reverse().map((one) => (
              <Button
                key={one.key}
                look={one === attempt ? 'secondary' : 'ghost'}
                aria-pressed={one === attempt}
                onClick={() => setChosen(one.key)}
                title={describeAttempt(one)}
              >
                {`${KIND_WORD[one.kind]} to ${one.to}, ${OUTCOME_WORD[one.outcome]}`}
              </Button>
            ))}
          </fieldset>
        )
      }
    >
      {isPresent ? null : (
        <p className="px-4 pt-3 text-ink-2">
          {describeAttempt(attempt)}. Started <Ago at={attempt.startedAt} />
          {attempt.endedAt === null ? null : (
            <>
              , ended <Ago at={attempt.endedAt} />
            </>
          )}
          .
        </p>
      )}
      <StageRail attempt={attempt} revisions={isPresent ? rollout.revisions : []} />
    </Panel>
  );
}

function describeAttempt({ kind, from, to, outcome, stages }: AttemptView): string {
  const done = stages.filter(({ state, way }) => state === 'done' && way === 'forward').length;
  return `${KIND_WORD[kind]} from ${from.length === 0 ? 'nothing' : sayList(from)} to ${to}, ${OUTCOME_WORD[outcome]} after ${sayCount(done, 'stage')}`;
}

type Position = Pick<RolloutDetail, 'attempts' | 'currentStage' | 'stageCount' | 'promoted' | 'activity'>;

/** Where it stands; after “promote fully” the stage under way is the last one, whatever was planned before. */
export function stageTitle({ attempts, currentStage, stageCount, promoted, activity }: Position): string {
  if (activity === 'aborting') return `On the way back, stage ${Math.max(1, currentStage)} of ${stageCount}`;
  const done = attempts[0]?.stages.filter(({ state, way }) => state === 'done' && way === 'forward').length ?? 0;
  if (activity === 'aborted') return `Aborted after ${sayCount(done, 'stage')}`;
  if (promoted) return `Last stage of ${stageCount}, promoted fully`;
  return currentStage === 0 ? `${sayCount(stageCount, 'stage')} ahead` : `Stage ${Math.min(currentStage, stageCount)} of ${stageCount}`;
}
