import type { WrittenProblem } from '@/lib/contract/change-rows';

/** What is wrong with the text, each a way to its line. */
export function EditorProblems({ problems, onGo }: { readonly problems: readonly WrittenProblem[]; readonly onGo: (problem: WrittenProblem) => void }) {
  return (
    <section aria-label="Problems" aria-live="polite" className="border-t">
      {problems.length === 0 ? (
        <p className="px-4 py-1.5 text-good text-xs">No problem found.</p>
      ) : (
        <ul className="divide-y">
          {problems.map((problem) => (
            <li key={`${problem.line} ${problem.sentence}`}>
              <button type="button" onClick={() => onGo(problem)} className="focus-inset flex w-full gap-3 px-4 py-1.5 text-left text-xs hover:bg-hover">
                <span className="shrink-0 text-ink-3">Line {problem.line}</span>
                <span className="text-bad">{problem.sentence}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
