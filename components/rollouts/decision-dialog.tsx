'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ConflictingChangeView, readConflictingChange } from '@/components/live/conflicting-change';
import { useCommand } from '@/components/live/use-command';
import { ChangeList } from '@/components/ui/data/change-list';
import { Consequences } from '@/components/ui/data/consequences';
import { PlanSummary } from '@/components/ui/data/plan-summary';
import type { QueryLike } from '@/components/ui/data/query-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { VERB_WORD } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { toDecisionRequest, unmetBefore } from '@/lib/contract/acts/rollout-decision';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { DecisionRequest } from '@/lib/contract/requests';
import type { ActionView, RolloutDetail } from '@/lib/contract/rollout-rows';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { isSameDecision, VERB_WEIGHT } from './action-rules';
import { countGarbage, describeGarbage } from './garbage-words';
import { LooserFields } from './looser-policy';
import { ReplicasTable } from './replicas-table';
import { rolloutPath, rolloutQueries } from './rollout-queries';

export interface DecisionDialogProps {
  readonly rollout: Pick<RolloutDetail, 'ns' | 'name' | 'uid' | 'actions' | 'loosening' | 'wait'>;
  /** The action as it was when the dialog was opened: what is shown is what is sent. */
  readonly action: ActionView;
  /** Why it cannot be sent any more; the cluster may have moved on while the dialog was open. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** A pause moves nothing, and a rollback makes a revision of its own: the course of now would say nothing of either. */
const WITHOUT_REPLICAS: ReadonlySet<ActionView['verb']> = new Set(['pause', 'rollback']);

/** What exactly a decision does, before it is made: its consequences, what it deletes, and the reason it needs. */
export function DecisionDialog({ rollout, action, blocked, onClose }: DecisionDialogProps) {
  const { ns, name, uid } = rollout;
  const [reason, setReason] = useState('');
  const word = VERB_WORD[action.verb];
  const digest = action.seen.garbage;
  const opening = useId();
  const garbage = useQuery({ ...rolloutQueries.garbageAsOpened(ns, name, opening), enabled: digest !== null });
  const isBack = action.verb === 'rollback';
  const asked = toDecisionRequest(uid, { action });
  const back = useQuery({ ...rolloutQueries.rollbackAsOpened(ns, name, { opening, request: asked }), enabled: isBack });
  const command = useCommand<DecisionRequest>(`${rolloutPath(ns, name)}/decisions`, () => {
    showToast(t.forIsOnRecordThe(word, name));
    onClose();
  });
  const theirs = readConflictingChange(command.failure);
  const current = rollout.actions.find((each) => each.verb === action.verb);
  const moved = isSameDecision(action, current) ? null : t.theRolloutHasChangedSince;
  const unread = unreadReason({
    garbage: digest === null ? null : garbage,
    back: isBack ? back : null,
  });
  const weight = VERB_WEIGHT[action.verb];
  return (
    <FormDialog
      wide={digest !== null || isBack}
      title={titleOf(action, name)}
      description={describe(action)}
      says={word}
      look={weight === 'warning' ? 'danger' : 'primary'}
      blocked={moved ?? blocked ?? unread}
      pending={command.isPending ? t.sending : null}
      refusals={[moved, command.refusal]}
      onSubmit={() => command.send({ ...toDecisionRequest(uid, { action, garbage: garbage.data?.digest }, reason), ...boundBy(back.data) })}
      onClose={onClose}
    >
      <Consequences sentences={action.consequences} />
      <NotMet rollout={rollout} action={action} />
      <Loosened rollout={rollout} action={action} />
      {WITHOUT_REPLICAS.has(action.verb) ? null : <ReplicasTable action={action} />}
      {digest === null ? null : (
        <QueryView query={garbage} awaits={t.readingWhatWillBeDeleted} pending={<SkeletonRows rows={3} columns={2} />}>
          {(view) => <GarbagePreview view={view} />}
        </QueryView>
      )}
      {isBack ? (
        <QueryView query={back} awaits={t.computingWhatTheRollbackDoes} pending={<SkeletonRows rows={3} columns={2} />}>
          {(preview) => <PlanSummary preview={preview} />}
        </QueryView>
      ) : null}
      <ReasonField neededFor={action.needsReason ? word : undefined} value={reason} onChange={setReason} />
      {theirs ? <ConflictingChangeView theirs={theirs} /> : null}
    </FormDialog>
  );
}

function titleOf({ verb }: ActionView, name: string): string {
  if (verb === 'promote-full') return t.promoteFully(name);
  return verb === 'loosen' ? t.loosenThePolicyOf(name) : `${VERB_WORD[verb]} ${name}`;
}

/** The revision that it is decided for, and of a rollback the one that it goes to. */
function describe({ verb, revision, stage }: ActionView): string | undefined {
  if (!revision) return undefined;
  if (verb === 'rollback') return t.toRevision(revision);
  return t.revision(revision, stage === null ? '' : `, ${stage === 0 ? t.beforeStage1 : t.afterStage(stage)}`);
}

function NotMet({ rollout, action: { verb } }: Pick<DecisionDialogProps, 'rollout' | 'action'>) {
  const unmet = unmetBefore(verb, rollout);
  if (unmet.length === 0) return null;
  return (
    <section aria-label={t.notMetNow} className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      <h3 className="font-medium text-xs">{t.notMetNow}</h3>
      <ul>
        {unmet.map((text) => (
          <li key={text} className="wrap-anywhere">
            <Sentence text={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Loosened({ rollout: { loosening }, action }: Pick<DecisionDialogProps, 'rollout' | 'action'>) {
  return action.verb === 'loosen' && loosening ? <LooserFields fields={loosening.fields} /> : null;
}

/** What a rollback is bound by: the plan that was shown, and the spec that it was worked out on. */
function boundBy(shown: SavePreview | undefined): Pick<DecisionRequest, 'plan' | 'base'> {
  if (shown === undefined) return {};
  return { plan: shown.plan, ...(shown.base === undefined ? {} : { base: shown.base }) };
}

type Read = Pick<QueryLike<unknown>, 'data' | 'error'>;

/** Why nothing can be sent before what it does is known. */
function unreadReason({ garbage, back }: { readonly garbage: Read | null; readonly back: Read | null }): string | null {
  if (garbage !== null && garbage.data === undefined) return garbage.error ? t.whatWillBeDeletedIsUnknown : t.whatWillBeDeletedIs;
  if (back === null || back.data !== undefined) return null;
  return back.error ? t.theEffectOfTheRollback : t.theEffectOfTheRollbackIs;
}

function GarbagePreview({ view }: { readonly view: GarbageView }) {
  const lost = view.rows.filter((row) => row.verdict === 'deleted' || row.verdict === 'held');
  return (
    <section aria-label={t.whatWillBeDeleted}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{describeGarbage(countGarbage(view))}</h3>
      {lost.length === 0 ? null : (
        <div className="max-h-56 overflow-y-auto rounded-md border">
          <ChangeList label={t.objectsThatAreDeletedOr} rows={lost} />
        </div>
      )}
      {view.refused ? (
        <p className="mt-2 text-warn">
          <Sentence text={view.refused} />
        </p>
      ) : null}
    </section>
  );
}
