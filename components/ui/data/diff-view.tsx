import type { DiffLine } from '@/lib/std/line-diff';
import { t } from '@/lib/words/catalogue/console/ui';
import { cx } from '../cx';
import { ScrollRegion } from '../scroll-region';

const LOOK: Readonly<Record<DiffLine['sign'], { readonly line: string; readonly said: string | null }>> = {
  '+': { line: 'bg-good-soft text-good', said: t.added },
  '-': { line: 'bg-bad-soft text-bad', said: t.removed },
  ' ': { line: 'text-ink-2', said: null },
  '…': { line: 'text-ink-3 italic', said: null },
};

/** How a text differs, line by line: a sign as well as a colour, and in words for who cannot see either. */
export function DiffView({ lines, label }: { readonly lines: readonly DiffLine[]; readonly label: string }) {
  return (
    <ScrollRegion label={label} className="max-h-96 rounded-md border bg-panel py-1.5 font-mono text-xs leading-[18px]">
      <ol className="w-max min-w-full">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
          <li key={at} className={cx('flex whitespace-pre px-3', LOOK[line.sign].line)}>
            {LOOK[line.sign].said ? <span className="sr-only">{LOOK[line.sign].said}: </span> : null}
            <span aria-hidden="true" className="w-4 shrink-0 select-none">
              {line.sign === '…' ? '' : line.sign}
            </span>
            <code>{line.text || ' '}</code>
          </li>
        ))}
      </ol>
    </ScrollRegion>
  );
}
