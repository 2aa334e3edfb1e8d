'use client';

import { CheckCheck, ChevronsRight, CirclePause, CirclePlay, History, RotateCcw, ShieldMinus, StepForward, Undo2 } from 'lucide-react';
import type { ComponentType } from 'react';
import { useState } from 'react';
import { CHECKING, useRights } from '@/components/live/rights';
import type { Staleness } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import { labelAct, usePageActs } from '@/components/ui/overlay/page-acts';
import { VERB_WORD } from '@/components/ui/status/tone';
import type { ActionView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { rightsView } from '@/lib/contract/rollout-rows';
import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { refusalOf, sharedRefusal, shownActions, VERB_WEIGHT } from './action-rules';
import { DecisionDialog } from './decision-dialog';

const ICONS: Readonly<Record<DecisionVerb, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  approve: CheckCheck,
  advance: StepForward,
  'promote-full': ChevronsRight,
  pause: CirclePause,
  resume: CirclePlay,
  abort: Undo2,
  rollback: History,
  retry: RotateCcw,
  loosen: ShieldMinus,
};

/** By what, beside rights, it is told who may decide: what waits, who requested it, and who has decided already. */
function decidedOf({ approvals, loosening, actions }: RolloutDetail): string {
  return JSON.stringify([approvals, loosening?.given, actions.map(({ verb, seen }) => [verb, seen])]);
}

/** What a person may do now. What is not possible says why; every action opens its consequences first. */
export function ActionBar({ rollout, staleness }: { readonly rollout: RolloutDetail; readonly staleness: Staleness | null }) {
  const [opened, setOpened] = useState<ActionView | null>(null);
  const actions = shownActions(rollout.actions, rollout.activity);
  const rights = useRights({ kind: 'rollout', ns: rollout.ns, name: rollout.name }, rightsView, decidedOf(rollout));
  usePageActs(
    actions.map((action) => ({
      id: action.verb,
      verb: VERB_WORD[action.verb],
      label: labelAct(VERB_WORD[action.verb], rollout.name),
      blocked: refusalOf(action, rights, staleness),
      run: () => setOpened(action),
    })),
  );
  const shared = sharedRefusal(actions.filter(({ allowed }) => allowed).map((action) => refusalOf(action, rights, staleness)));
  return (
    <fieldset className="flex flex-wrap items-center gap-2" aria-label={t.actions}>
      {shared === null ? null : <p className="mb-1 basis-full text-ink-2">{shared}</p>}
      {actions.length === 0 ? <p className="text-ink-3">{t.noActionsAreAvailableNow}</p> : null}
      {actions.map((action) => {
        const Icon = ICONS[action.verb];
        const refusal = refusalOf(action, rights, staleness);
        const weight = VERB_WEIGHT[action.verb];
        return (
          <Button
            key={action.verb}
            size="md"
            look={weight === 'primary' && refusal !== null && refusal !== CHECKING ? 'secondary' : weight}
            blocked={refusal}
            onClick={() => setOpened(action)}
          >
            <Icon size={14} aria-hidden />
            {VERB_WORD[action.verb]}
          </Button>
        );
      })}
      {opened ? (
        <DecisionDialog rollout={rollout} action={opened} blocked={refusalOf(opened, rights, staleness)} onClose={() => setOpened(null)} />
      ) : null}
    </fieldset>
  );
}
