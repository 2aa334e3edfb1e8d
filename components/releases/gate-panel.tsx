import type { ReactNode } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { Ago } from '@/components/live/ago';
import { Button } from '@/components/ui/button';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { Archive } from '@/lib/contract/release-gate';
import type { GateView, ReleaseDetail } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { formatList } from '@/lib/words/figures';
import { formatDependencies, shortDigest, shortRevision } from '@/lib/words/format-release';
import { givenOf } from '@/lib/words/releases/format-given';
import { goToCommit } from './compare/chart-commits';

/** What keeps a release where it is until people approve: what is asked for, where the release is and what waits. */
export function GatePanel({ gate, origin }: Pick<ReleaseDetail, 'origin'> & { readonly gate: GateView }) {
  const { sentence, looser } = gate;
  return (
    <Panel title={origin.kind === 'git' ? t.commitApproval : t.archiveApproval}>
      <dl className="divide-y">
        <Line term={t.required}>
          <Sentence text={sentence} />
          {looser === null ? null : <span className="block text-warn">{t.aLooserPolicyIsRequested(looser)}</span>}
        </Line>
        {origin.kind === 'git' ? <CommitLines gate={gate} /> : <ArchiveLines gate={gate} />}
      </dl>
    </Panel>
  );
}

function CommitLines({ gate }: { readonly gate: GateView }) {
  const { approved, lost, gone, waiting } = gate;
  const { choose } = useChoices();
  const show = (commit: string) => {
    choose({ tab: 'commits', commit });
    goToCommit(commit);
  };
  return (
    <>
      <Line term={t.approved}>
        {approved == null ? (
          t.noCommitYet
        ) : (
          <>
            <code>{shortRevision(approved.commit)}</code>
            {t.byAfter(formatList(approved.by))}
            <Ago at={approved.at} />
            {lost == null ? null : <span className="block text-bad">{t.theApprovalIsVoid}</span>}
            {gone == null ? null : <span className="block text-bad">{t.theBranchNoLongerContains}</span>}
          </>
        )}
      </Line>
      <Line term={t.waiting}>
        {waiting == null ? (
          t.noNewerCommitTouchesThe
        ) : (
          <>
            <span className="font-medium wrap-anywhere">{waiting.subject}</span>
            <span className="block text-ink-3">
              <code>{shortRevision(waiting.commit)}</code>
              {t.byAfter(waiting.author)}
              <Ago at={waiting.at} />
            </span>
            {waiting.dependencies == null ? null : (
              <span className="block text-ink-3">{t.dependenciesOfIt(formatDependencies(waiting.dependencies))}</span>
            )}
            <span className="block text-ink-3">{givenOf(gate)}</span>
            <Button size="sm" className="mt-1.5" onClick={() => show(waiting.commit)}>
              {t.allCommits}
            </Button>
          </>
        )}
      </Line>
    </>
  );
}

function ArchiveLines({ gate }: { readonly gate: GateView }) {
  const { current, waiting } = gate.archive ?? {};
  return (
    <>
      <Line term={t.approved}>
        {current == null ? (
          t.noArchiveYet
        ) : (
          <>
            <ArchiveName archive={current} />
            {current.by.length === 0 ? t.withItsResourceAfter : t.byAfter(formatList(current.by))}
            <Ago at={current.at} />
          </>
        )}
      </Line>
      <Line term={t.waiting}>
        {waiting == null ? (
          t.itsVersionLeadsToNoOther
        ) : (
          <>
            <ArchiveName archive={waiting} />
            {', '}
            <Ago at={waiting.at} />
            <span className="block text-ink-3">{givenOf(gate)}</span>
          </>
        )}
      </Line>
    </>
  );
}

function ArchiveName({ archive: { revision, digest } }: { readonly archive: Archive }) {
  return (
    <>
      <span className="font-medium wrap-anywhere">{revision}</span> <code title={`sha256:${digest}`}>{shortDigest(digest)}</code>
    </>
  );
}

function Line({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-x-4 px-4 py-2 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <dt className="text-ink-3">{term}</dt>
      <dd className="min-w-0 text-pretty wrap-anywhere">{children}</dd>
    </div>
  );
}
