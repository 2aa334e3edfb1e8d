import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { DECISION_PHASE_TONE } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { ReleaseDecisionView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { shortDigest, shortRevision } from '@/lib/words/format-release';
import { verbWord } from '@/lib/words/releases/verb-words';

/** What people decided about a release, newest first. */
export function ReleaseDecisions({ decisions }: { readonly decisions: readonly ReleaseDecisionView[] }) {
  if (decisions.length === 0) return <p className="px-4 py-6 text-ink-3">{t.noDecisionsAboutThisRelease}</p>;
  return (
    <ol className="max-h-[420px] divide-y overflow-y-auto">
      {decisions.map(({ key, verb, user, revision, commit, digest, reason, phase, message, createdAt }) => (
        <li key={key} className="px-4 py-2.5">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium">{verbWord(verb, { isArchive: digest !== null })}</span>
            {revision === null ? null : <span className="text-ink-3">{t.toRevision(revision)}</span>}
            {commit === null ? null : <code>{shortRevision(commit)}</code>}
            {digest === null ? null : <code>{shortDigest(digest)}</code>}
            <span className="text-ink-3">{t.byInline}</span>
            <span className="min-w-0 font-medium wrap-anywhere">{user}</span>
            <Badge tone={DECISION_PHASE_TONE[phase]}>{phase}</Badge>
            <span className="ml-auto text-ink-3 text-xs">
              <Ago at={createdAt} />
            </span>
          </div>
          {reason ? <p className="mt-1 border-line-strong border-l-2 pl-2.5 text-ink-2 wrap-anywhere">{reason}</p> : null}
          {message ? (
            <p className="mt-0.5 text-ink-3 text-xs wrap-anywhere">
              <Sentence text={message} />
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
