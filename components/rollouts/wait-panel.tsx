'use client';

import { CircleCheck, CircleDashed, UserCheck, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Ago, Elapsed } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { cx } from '@/components/ui/cx';
import { EdgePanel } from '@/components/ui/panel';
import { ActivityMark } from '@/components/ui/status/status';
import { ACTIVITY_STYLE } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { useFormattedNow } from '@/components/ui/time/use-now';
import { rich } from '@/components/ui/words/rich';
import type { Activity } from '@/lib/contract/health';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { parseInstant } from '@/lib/std/instant';
import { t } from '@/lib/words/catalogue/delivery/rollouts';
import { formatList } from '@/lib/words/figures';
import { formatRequester } from '@/lib/words/format-requester';
import { ActionBar } from './action-bar';
import { LooserPolicy, TighteningUndo } from './looser-policy';

const WAITING: readonly Activity[] = ['waiting', 'paused', 'held'];
const AT_REST: readonly Activity[] = ['idle', 'aborted'];

/** The answer to the first question: why it waits, clause by clause, and what can be done about it. */
export function WaitPanel({ rollout, staleness }: { readonly rollout: RolloutDetail; readonly staleness: Staleness | null }) {
  const { wait, activity, approvals, deadline, abort } = rollout;
  // At rest nothing else is told: the policy is what waits.
  const loosens = rollout.loosening !== null && AT_REST.includes(activity);
  const waits = WAITING.includes(activity) || loosens;
  return (
    <EdgePanel labelledBy="why" tone={loosens ? 'warn' : ACTIVITY_STYLE[activity].tone}>
      <div className="grid grid-cols-1 gap-x-8 gap-y-4 py-4 pr-5 pl-6 lg:grid-cols-[minmax(0,1fr)_auto]">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
            <h2 id="why" className="font-medium text-ink-3">
              {waits ? t.whyItIsWaiting : t.whatIsHappening}
            </h2>
            <ActivityMark activity={loosens ? 'waiting' : activity} className="font-medium" />
            {deadline && activity !== 'idle' && activity !== 'aborted' ? <Deadline at={deadline} /> : null}
          </div>
          <p className="mt-1.5 max-w-2xl text-pretty font-medium text-lg leading-6 wrap-anywhere">
            <Sentence text={wait.sentence} />
          </p>
          {abort?.keptUntil ? (
            <StillServes revision={abort.rejected} until={abort.keptUntil} isHeadline={wait.sentence.includes(abort.keptUntil)} />
          ) : null}
          <Clauses clauses={wait.clauses.filter((clause) => clause.text !== wait.sentence)} />
        </div>
        {!loosens && approvals.required > 0 && (waits || approvals.given.length > 0 || approvals.votes.length > 0) ? (
          <Approvals approvals={approvals} />
        ) : null}
      </div>
      {rollout.loosening === null ? null : <LooserPolicy loosening={rollout.loosening} required={approvals.required} isTold={loosens} />}
      {rollout.tighteningUndo == null ? null : <TighteningUndo {...rollout.tighteningUndo} />}
      <Announcement rollout={rollout} />
      <div className="border-t bg-sunken py-3 pr-5 pl-6 print:hidden">
        <ActionBar rollout={rollout} staleness={staleness} />
      </div>
    </EdgePanel>
  );
}

/** Says what the rollout does once it does something else than when the page was opened; counts that move on within a stage are not said one by one. */
function Announcement({ rollout: { activity, attempts } }: { readonly rollout: RolloutDetail }) {
  const stages = (attempts[0]?.stages ?? []).filter(({ way }) => way === 'forward');
  const now = t.nowDoing(ACTIVITY_STYLE[activity].word, stages.filter(({ state }) => state === 'done').length, stages.length);
  const [first] = useState(now);
  const [isChanged, setChanged] = useState(false);
  if (!isChanged && now !== first) setChanged(true);
  return (
    <p role="status" className="sr-only">
      {isChanged ? now : null}
    </p>
  );
}

/** A rejected revision that is kept serves on, so this must be seen. */
function StillServes({ revision, until, isHeadline }: { readonly revision: string; readonly until: string; readonly isHeadline: boolean }) {
  return (
    <p className="mt-1.5 font-medium text-warn">
      {isHeadline ? null : t.stillServes(revision)}
      <Elapsed until={until} /> {isHeadline ? t.left : t.more}
    </p>
  );
}

/** How long is left; once nothing is, since when. */
function Deadline({ at }: { readonly at: string }) {
  const isPast = useFormattedNow((now) => (now < (parseInstant(at) ?? now + 1) ? '' : 'past')) === 'past';
  if (!isPast) {
    return <span className="text-ink-3">{rich(t.deadlineIn(<Elapsed until={at} />))}</span>;
  }
  return <span className="font-medium text-warn">{rich(t.deadlinePassed(<Ago at={at} />))}</span>;
}

/** What else is awaited, or met already. */
function Clauses({ clauses }: { readonly clauses: RolloutDetail['wait']['clauses'] }) {
  if (clauses.length === 0) return null;
  return (
    <ul aria-label={t.conditions} className="mt-3 grid grid-cols-1 gap-x-8 gap-y-1.5 sm:grid-cols-2">
      {clauses.map(({ text, met }) => {
        const Icon = met ? CircleCheck : CircleDashed;
        return (
          <li key={text} className={cx('flex items-start gap-2', met ? 'text-ink-3' : 'text-ink')}>
            <Icon size={15} aria-hidden className={cx('mt-[2.5px] shrink-0', met ? 'text-good' : 'text-warn')} />
            <span className="min-w-0 wrap-anywhere">
              <Sentence text={text} />
              <span className="sr-only">{met ? t.met : t.notMetYet}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Approvals({ approvals }: { readonly approvals: RolloutDetail['approvals'] }) {
  const missing = Math.max(0, approvals.required - approvals.given.length);
  return (
    <div className="min-w-44">
      <h3 className="text-ink-3 text-xs">
        {rich(t.approvalsOf(<span className="font-medium text-ink">{approvals.given.length}</span>, approvals.required))}
      </h3>
      <ul className="mt-2 space-y-1.5">
        {approvals.given.map(({ user, at }) => (
          <li key={`${user} ${at}`} className="flex max-w-72 items-center gap-2">
            <UserCheck size={14} aria-hidden className="shrink-0 text-good" />
            <span className="min-w-0 font-medium wrap-anywhere">{user}</span>
            <span className="text-ink-3 text-xs">
              <Ago at={at} />
            </span>
          </li>
        ))}
        {Array.from({ length: missing }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: empty places are alike
          <li key={at} className="flex items-center gap-2 text-ink-3">
            <UserRound size={14} aria-hidden />
            {t.notGivenYet(approvals.groups.length === 0 ? '' : t.fromAfter(formatList(approvals.groups, t.or)))}
          </li>
        ))}
        {approvals.votes.map(({ verb, user, at }) => (
          <li key={`${verb} ${user}`} className="flex max-w-72 items-center gap-2">
            <UserCheck size={14} aria-hidden className="shrink-0 text-ink-3" />
            <span className="min-w-0 wrap-anywhere">{rich(t.votedTo(<span className="font-medium">{user}</span>, verb))}</span>
            <span className="text-ink-3 text-xs">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
      {approvals.requester == null ? null : (
        <p className="mt-2 max-w-72 text-ink-2 text-xs wrap-anywhere">
          {formatRequester(approvals.requester, approvals.requesterMayApprove)}
        </p>
      )}
    </div>
  );
}
