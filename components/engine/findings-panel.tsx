import { asSentence } from '@/components/ui/as-sentence';
import { CopyButton } from '@/components/ui/copy-button';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { keepFlags } from '@/components/ui/words/keep-flags';
import type { Finding } from '@/lib/contract/finding';
import { t } from '@/lib/words/catalogue/console/engine';

const AREA_WORD: Readonly<Record<Finding['area'], string>> = {
  modes: t.mode,
  definitions: t.definition,
  policies: t.policy,
  rights: t.right,
  watches: t.watch,
  programs: t.program,
  record: t.record,
};

/** What is wrong with the installation, each with the command that fixes it. Nothing at all when nothing is. */
export function FindingsPanel({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <Panel title={t.problemsOfTheInstallation} note={t.slipwayDoctorChecksRightsAs}>
      <ul aria-label={t.findings} className="divide-y divide-line">
        {findings.map(({ area, subject, sentence, remedy }) => (
          <li key={`${area} ${subject} ${sentence}`} className="grid gap-x-6 gap-y-1 px-4 py-2.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
            <span className="text-ink-3">
              {AREA_WORD[area]}: <span className="break-words text-ink-2">{subject}</span>
            </span>
            <span className="min-w-0 space-y-1">
              <span className="block break-words">
                <Sentence text={asSentence(sentence)} />
              </span>
              {remedy === null ? null : (
                <span className="flex items-start gap-2">
                  <code className="min-w-0 flex-1 select-all font-mono text-ink-2 text-xs leading-6 wrap-anywhere">
                    {keepFlags(remedy)}
                  </code>
                  <CopyButton text={remedy} what={t.theCommandFor(subject)} isSmall />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
