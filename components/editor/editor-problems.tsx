import { asSentence } from '@/components/ui/as-sentence';
import { Sentence } from '@/components/ui/time/sentence';
import type { WrittenProblem } from '@/lib/contract/change-rows';
import { t } from '@/lib/words/catalogue/delivery/editor';

export interface EditorProblemsProps {
  /** Undefined until the text has been looked at. */
  readonly problems: readonly WrittenProblem[] | undefined;
  /** Why it could not be looked at. */
  readonly failure: string | null;
  readonly onGo: (problem: WrittenProblem) => void;
}

/** What is wrong with the text, each a way to its line. */
export function EditorProblems({ problems, failure, onGo }: EditorProblemsProps) {
  return (
    <section aria-label={t.problems} aria-live="polite" className="border-t">
      {failure !== null ? (
        <p className="px-4 py-1.5 text-warn text-xs">{t.theTextCouldNotBe(asSentence(failure))}</p>
      ) : problems === undefined ? (
        <p className="px-4 py-1.5 text-ink-3 text-xs">{t.theTextIsNotChecked}</p>
      ) : problems.length === 0 ? (
        <p className="px-4 py-1.5 text-good text-xs">{t.noProblemFound}</p>
      ) : (
        <ul className="divide-y">
          {problems.map((problem) => (
            <li key={`${problem.line} ${problem.sentence}`}>
              <button
                type="button"
                onClick={() => onGo(problem)}
                className="focus-inset flex w-full gap-3 px-4 py-1.5 text-left text-xs hover:bg-hover"
              >
                <span className="shrink-0 text-ink-3">{t.line(problem.line)}</span>
                <span className="text-bad">
                  <Sentence text={problem.sentence} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
