import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { cx } from '@/components/ui/cx';
import type { Tone } from '@/components/ui/status/tone';
import { RELEASE_STYLE } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { ReconcileView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/releases';
import { shortRevision } from '@/lib/words/format-release';
import { outcomeWord } from '@/lib/words/releases/outcome-words';

/** What came of an act looks as the state that it leaves, where it leaves one of that name. */
const TONE: Readonly<Record<string, Tone>> = {
  installed: 'good',
  upgraded: 'good',
  'rolled-back': RELEASE_STYLE['rolled-back'].tone,
  remediated: RELEASE_STYLE['rolled-back'].tone,
  'put-back': 'warn',
  held: RELEASE_STYLE.held.tone,
  gated: RELEASE_STYLE.waiting.tone,
  waits: RELEASE_STYLE.waiting.tone,
  'plan-moved': RELEASE_STYLE.moved.tone,
  failed: RELEASE_STYLE.failed.tone,
};

/** What each loop did about a release, with the revision it used, the rule it decided by, and what came of it. */
export function Reconciles({ reconciles }: { readonly reconciles: readonly ReconcileView[] }) {
  if (reconciles.length === 0) {
    return <p className="px-4 py-6 text-ink-3">{t.thisProcessHasNotReconciled}</p>;
  }
  return (
    <ol className="max-h-[420px] divide-y overflow-y-auto">
      {reconciles.map(({ key, at, times, by, outcome, revision, rule, why, error }) => (
        <li key={key} className="px-4 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Badge tone={TONE[outcome] ?? 'idle'}>{outcomeWord(outcome)}</Badge>
            <span>{by}</span>
            {revision === null ? null : (
              <code title={revision} className="font-mono text-ink-3 text-xs">
                {shortRevision(revision)}
              </code>
            )}
            {rule === null ? null : <span className="text-ink-3 text-xs">{rule}</span>}
            {times > 1 ? <span className="text-ink-3 text-xs">{t.times(times)}</span> : null}
            <span className="ml-auto text-ink-3 text-xs">
              <Ago at={at} />
            </span>
          </div>
          {why === null ? null : (
            <p className="mt-0.5 text-ink-2 wrap-anywhere">
              <Sentence text={why} />
            </p>
          )}
          {error === null ? null : (
            <p className={cx('mt-0.5 wrap-anywhere', outcome === 'waits' ? 'text-ink-2' : 'text-bad')}>
              <Sentence text={error} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
