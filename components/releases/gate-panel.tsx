import type { ReactNode } from 'react';
import { Ago } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { GateView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { sayList } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/say-release';

/** What keeps commits from a release until people approve them: what is asked for, where the release is, and what waits. */
export function GatePanel({ gate }: { readonly gate: GateView }) {
  const { sentence, looser, approved, lost, waiting, supporters, required } = gate;
  return (
    <Panel title={t.commitApproval}>
      <dl className="divide-y">
        <Line term={t.required}>
          <Sentence text={sentence} />
          {looser === null ? null : <span className="block text-warn">{t.aLooserPolicyIsRequested(looser)}</span>}
        </Line>
        <Line term={t.approved}>
          {approved == null ? (
            t.noCommitYet
          ) : (
            <>
              <code>{shortRevision(approved.commit)}</code>
              {t.byAfter(sayList(approved.by))}
              <Ago at={approved.at} />
              {lost == null ? null : <span className="block text-bad">{t.theBranchNoLongerContains}</span>}
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
              <span className="block text-ink-3">
                {t.ofApprovals(supporters.length, required)}
                {supporters.length === 0 ? '' : `: ${sayList(supporters)}`}
              </span>
            </>
          )}
        </Line>
      </dl>
    </Panel>
  );
}

function Line({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className="px-4 py-2">
      <dt className="text-ink-3 text-xs">{term}</dt>
      <dd className="min-w-0 text-pretty wrap-anywhere">{children}</dd>
    </div>
  );
}
