import type { ReactNode } from 'react';
import { Ago } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { GateView } from '@/lib/contract/release-rows';
import { sayCount, sayList } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/say-release';

/** What keeps commits from a release until people approve them: what is asked for, where the release is, and what waits. */
export function GatePanel({ gate }: { readonly gate: GateView }) {
  const { sentence, looser, approved, lost, waiting, supporters, required } = gate;
  return (
    <Panel title="Commit approval">
      <dl className="divide-y">
        <Line term="Required">
          <Sentence text={sentence} />
          {looser === null ? null : (
            <span className="block text-warn">{`A looser policy is requested: ${looser}. The stricter policy stays in force until people agree to it.`}</span>
          )}
        </Line>
        <Line term="Approved">
          {approved == null ? (
            'No commit yet'
          ) : (
            <>
              <code>{shortRevision(approved.commit)}</code>
              {` by ${sayList(approved.by)}, `}
              <Ago at={approved.at} />
              {lost == null ? null : <span className="block text-bad">The branch no longer contains it, so the release stays as it is.</span>}
            </>
          )}
        </Line>
        <Line term="Waiting">
          {waiting == null ? (
            'No newer commit touches the chart'
          ) : (
            <>
              <span className="font-medium wrap-anywhere">{waiting.subject}</span>
              <span className="block text-ink-3">
                <code>{shortRevision(waiting.commit)}</code>
                {` by ${waiting.author}, `}
                <Ago at={waiting.at} />
              </span>
              <span className="block text-ink-3">
                {`${supporters.length} of ${sayCount(required, 'approval')}`}
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
