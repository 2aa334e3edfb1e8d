import type { ReleaseVerb } from '@/lib/contract/release-decision';
import type { GateView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/decide';
import { givenOf } from '@/lib/words/releases/format-given';

/** A commit as it is shown to whoever approves it, and how far its approval has come. */
export interface ShownCommit {
  readonly commit: string;
  readonly subject: string;
  readonly author: string;
  readonly given: string;
}

interface GateMatterProps {
  readonly verb: ReleaseVerb;
  readonly gate: GateView;
  /** The commit that is approved; undefined of a chart that is pulled. */
  readonly commit: ShownCommit | undefined;
}

/** What a decision about a gate is about. */
export function GateSubject({ verb, gate, commit }: GateMatterProps) {
  const { sentence, looser, archive } = gate;
  if (verb === 'loosen' && looser !== null) return <p className="text-ink-2">{t.inForceRequestedNow(sentence, looser)}</p>;
  if (verb !== 'approve') return null;
  if (archive?.waiting != null)
    return (
      <section aria-label={t.theArchive} className="rounded-md border px-3 py-2">
        <p className="font-medium wrap-anywhere">{archive.waiting.revision}</p>
        <p className="text-ink-3 wrap-anywhere">
          <code>sha256:{archive.waiting.digest}</code>
        </p>
        <p className="text-ink-3">{givenOf(gate)}</p>
      </section>
    );
  if (commit === undefined) return null;
  return (
    <section aria-label={t.theCommit} className="rounded-md border px-3 py-2">
      <p className="font-medium wrap-anywhere">{commit.subject}</p>
      <p className="text-ink-3 wrap-anywhere">
        <code>{commit.commit}</code>
        {t.by(commit.author)}
      </p>
      <p className="text-ink-3 wrap-anywhere">{commit.given}</p>
    </section>
  );
}
