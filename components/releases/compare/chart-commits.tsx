'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import { t } from '@/lib/words/catalogue/releases/compare';
import { formatList } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/format-release';
import { Nondeterministic } from '../edit/release-plan-view';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';
import { ContentComparison } from './content-comparison';

type Commit = ReleaseCommits['commits'][number];

const LOOK: Readonly<Record<Commit['state'], { readonly tone: Tone; readonly word: string }>> = {
  taken: { tone: 'good', word: t.taken },
  waiting: { tone: 'warn', word: t.waiting },
  unknown: { tone: 'odd', word: t.unknown },
};

interface ChartCommitsProps {
  readonly place: ReleasePlace;
  /** Differs with whatever moves the release or its branch, so that the list is read again. */
  readonly moment: string;
}

/** The commits that touched the chart, newest first, each with what it would make of the release. */
export function ChartCommits({ place, moment }: ChartCommitsProps) {
  const commits = useQuery(releaseQueries.commits(place, moment));
  return (
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
              <CommitLine key={one.commit} place={place} one={one} moment={moment} />
            ))}
          </ol>
          {more ? <p className="border-t px-4 py-2 text-ink-3 text-xs">{t.olderCommitsAreInThe}</p> : null}
          {why === null ? null : (
            <p className="border-t px-4 py-2 text-ink-3 text-xs wrap-anywhere">{rich(t.gitCannotTellWhichOf(<Sentence text={why} />))}</p>
          )}
        </>
      )}
    </QueryView>
  );
}

function CommitLine({ place, one: { commit, subject, author, at, state }, moment }: ChartCommitsProps & { readonly one: Commit }) {
  const [open, setOpen] = useState(false);
  const { tone, word } = LOOK[state];
  return (
    <li className="space-y-2 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{word}</Badge>
        <span className="min-w-0 font-medium wrap-anywhere">{subject}</span>
        <span className="text-ink-3 text-xs">
          <code title={commit}>{shortRevision(commit)}</code>
          {t.by(author)}
          <Ago at={at} />
        </span>
        <Button
          size="sm"
          className="ml-auto"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          aria-label={(open ? t.hideChangesOf : t.showChangesOf)(shortRevision(commit))}
        >
          {open ? t.hideChanges : t.showChanges}
        </Button>
      </div>
      {open ? <CommitChanges place={place} commit={commit} moment={moment} /> : null}
    </li>
  );
}

function CommitChanges({ place, commit, moment }: ChartCommitsProps & { readonly commit: string }) {
  const comparison = useQuery(releaseQueries.commitComparison(place, { commit, moment }));
  return (
    <section aria-label={t.whatCommitWouldChange(shortRevision(commit))} className="rounded-md border px-3 py-2">
      <QueryView query={comparison} awaits={t.helmRendersTheChartOf} pending={<SkeletonRows rows={3} columns={2} />}>
        {(data) => (
          <div className="space-y-3">
            <p className="text-ink-3 text-xs">
              {t.theChartOfTheCommit(data.from === null ? t.helmHasStoredNothingOf : t.comparedWithStoredRevision(data.from))}
            </p>
            {data.definitions.length === 0 ? null : (
              <p className="text-sm wrap-anywhere">{t.definitionsWouldStay(formatList(data.definitions))}</p>
            )}
            <ContentComparison content={data} />
            {data.nondeterministic.length === 0 ? null : <Nondeterministic places={data.nondeterministic} />}
          </div>
        )}
      </QueryView>
    </section>
  );
}
