'use client';

import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { Ago } from '@/components/live/ago';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileStale } from '@/components/live/staleness';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cx } from '@/components/ui/cx';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import type { ReleaseAction, ReleaseDetail } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/compare';
import { shortRevision } from '@/lib/words/format-release';
import { COMMIT_WORD } from '@/lib/words/releases/compare-words';
import { ReleaseDialog } from '../decide/release-dialog';
import type { ReleasePlace } from '../release-queries';
import { approvalsOf, momentOf, releaseQueries } from '../release-queries';
import { CommitChanges } from './commit-changes';

type Commit = ReleaseCommits['commits'][number];

const TONE: Readonly<Record<Commit['state'], Tone>> = { taken: 'good', waiting: 'warn', unknown: 'odd' };

/** A commit that is about to be approved, and the act as it was when that began. */
interface Opened {
  readonly commit: Commit;
  readonly approve: ReleaseAction;
}

interface ChartCommitsProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly staleness: Staleness | null;
}

/** The commits that touched the chart, newest first, each with what it would make of the release, and those that wait for approval with that act. */
export function ChartCommits({ release, place, staleness }: ChartCommitsProps) {
  const moment = momentOf(release);
  const commits = useQuery(releaseQueries.commits(place, { moment, approvals: approvalsOf(release) }));
  const { chosen } = useChoices();
  const [opened, setOpened] = useState<Opened | null>(null);
  const approve = release.actions.find(({ verb }) => verb === 'approve');
  const refusalOf = ({ approval }: Commit) => approval?.why ?? approve?.why ?? refusalWhileStale(staleness);
  // The last that is known of it, where the list cannot be read again or has it no more.
  const live = opened && (commits.data?.commits.find(({ commit }) => commit === opened.commit.commit) ?? opened.commit);
  return (
    <>
      <QueryView
        query={commits}
        awaits={t.readingTheCommitsThatTouched}
        pending={<SkeletonRows rows={3} columns={3} />}
        isEmpty={(data) => data.commits.length === 0}
        empty={<p className="px-4 py-6 text-ink-3">{t.noCommitOfTheBranch}</p>}
      >
        {({ commits: list, more, why }) => (
          <>
            <ol className="divide-y">
              {list.map((one) => (
                <CommitLine
                  key={one.commit}
                  place={place}
                  one={one}
                  moment={moment}
                  isNamed={chosen.get('commit') === one.commit}
                  blocked={refusalOf(one)}
                  onApprove={() => approve && setOpened({ commit: one, approve })}
                />
              ))}
            </ol>
            {more ? <p className="border-t px-4 py-2 text-ink-3 text-xs">{t.olderCommitsAreInThe}</p> : null}
            {why === null ? null : (
              <p className="border-t px-4 py-2 text-ink-3 text-xs wrap-anywhere">{rich(t.gitCannotTellWhichOf(<Sentence text={why} />))}</p>
            )}
          </>
        )}
      </QueryView>
      {opened === null || live === null ? null : (
        <ReleaseDialog
          release={release}
          place={place}
          action={opened.approve}
          commit={live}
          blocked={refusalOf(live) ?? (live.approval === undefined ? t.noLongerWaits : null)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

const lineOf = (commit: string) => `commit-${commit}`;

/** Goes to a commit in the list, where it is shown already: a link that names it again changes nothing. */
export function goToCommit(commit: string): void {
  goTo(document.getElementById(lineOf(commit)));
}

/** In view, told, and where the keyboard goes on. */
function goTo(line: HTMLElement | null): void {
  line?.scrollIntoView({ block: 'center' });
  line?.focus({ preventScroll: true });
}

interface CommitLineProps {
  readonly place: ReleasePlace;
  readonly one: Commit;
  readonly moment: string;
  /** Whether a link led to this one. */
  readonly isNamed: boolean;
  /** Why it cannot be approved now; null where it can. */
  readonly blocked: string | null;
  readonly onApprove: () => void;
}

function CommitLine({ place, one, moment, isNamed, blocked, onApprove }: CommitLineProps) {
  const { commit, subject, author, at, state, approval } = one;
  const [open, setOpen] = useState(false);
  const line = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isNamed) goTo(line.current);
  }, [isNamed]);
  const short = shortRevision(commit);
  return (
    <li
      ref={line}
      id={lineOf(commit)}
      tabIndex={-1}
      data-landing=""
      aria-current={isNamed || undefined}
      className={cx('space-y-2 px-4 py-2', isNamed ? 'shadow-[inset_3px_0_0_var(--color-accent)]' : undefined)}
    >
      <div className="flex flex-wrap items-start justify-end gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-80 space-y-0.5">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={TONE[state]}>{COMMIT_WORD[state]}</Badge>
            <span className="min-w-0 font-medium wrap-anywhere">{subject}</span>
            <span className="text-ink-3 text-xs">
              <code title={commit}>{short}</code>
              {t.by(author)}
              <Ago at={at} />
            </span>
          </p>
          {approval === undefined ? null : <p className="text-ink-3 text-xs wrap-anywhere">{approval.sentence}</p>}
        </div>
        <span className="flex gap-2">
          {approval === undefined ? null : (
            <Button size="sm" blocked={blocked} onClick={onApprove} aria-label={t.approveOf(short)}>
              <Check size={14} aria-hidden />
              {t.approve}
            </Button>
          )}
          <Button
            size="sm"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            aria-label={(open ? t.hideChangesOf : t.showChangesOf)(short)}
          >
            {open ? t.hideChanges : t.showChanges}
          </Button>
        </span>
      </div>
      {open ? <CommitChanges place={place} commit={commit} moment={moment} /> : null}
    </li>
  );
}
