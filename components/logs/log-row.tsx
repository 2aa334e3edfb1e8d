'use client';

import { memo } from 'react';
import { cx } from '@/components/ui/cx';
import { useZone } from '@/components/ui/time/zone';
import type { LogLine } from '@/lib/contract/log-stream';
import { t } from '@/lib/words/catalogue/objects/logs';
import { formatMillisecond } from '@/lib/words/times';
import type { LogLevel } from './lines/log-level';
import { readLevel } from './lines/log-level';
import type { Range } from './lines/log-text';
import { breakRows, findAll, toDisplayText, toPieces } from './lines/log-text';

/** Height of a row; every line takes a whole number of them, so that where each stands is known without drawing it. */
export const ROW_PX = 18;

const LEVEL_LOOK: Readonly<Record<LogLevel, string>> = {
  trace: 'text-ink-3',
  debug: 'text-ink-3',
  info: '',
  warn: 'text-warn',
  error: 'text-bad',
  fatal: 'font-semibold text-bad',
};

export interface LogRowProps {
  readonly line: LogLine;
  /** Who wrote it, where that is not the same of all lines. */
  readonly name: string | undefined;
  readonly fullName: string;
  readonly times: boolean;
  readonly columns: number | undefined;
  readonly search: string;
  readonly isCurrent: boolean;
}

/** One line of a log, on one row or wrapped on several. */
export const LogRow = memo(function LogRow({ line, name, fullName, times, columns, search, isCurrent }: LogRowProps) {
  const text = toDisplayText(line.text);
  if (line.mark !== undefined) return <Mark line={line} name={name} />;
  const found = findAll(text, search);
  const starts = columns === undefined ? [0] : breakRows(text, columns);
  const level = readLevel(line.text);
  return (
    <div className={cx('flex whitespace-pre px-3', isCurrent ? 'bg-accent-soft' : 'hover:bg-hover')} data-line="">
      {times ? <Time at={line.at} /> : null}
      {name === undefined ? null : (
        <span title={fullName} className="w-[7ch] shrink-0 truncate pr-[1ch] text-ink-3 sm:w-[19ch]">
          {name}
        </span>
      )}
      <span className={level === undefined ? undefined : LEVEL_LOOK[level]}>
        {starts.map((start, at) => (
          <span key={start} className="block h-[18px]">
            <Pieces text={text} range={[start, starts[at + 1] ?? text.length]} found={found} />
            {at === starts.length - 1 && line.cut !== undefined ? (
              <span className="text-ink-3 italic"> {t.bytesCutOff2(line.cut)}</span>
            ) : null}
          </span>
        ))}
      </span>
    </div>
  );
});

function Pieces({ text, range, found }: { readonly text: string; readonly range: Range; readonly found: readonly Range[] }) {
  let at = range[0];
  return toPieces(text, range, found).map((piece) => {
    const key = at;
    at += piece.text.length;
    return piece.isFound ? (
      <mark key={key} className="rounded-[2px] bg-warn-soft text-inherit outline outline-warn/40">
        {piece.text}
      </mark>
    ) : (
      piece.text
    );
  });
}

/** What no container wrote: that a pod joined, a run ended, another began. */
function Mark({ line: { text, at }, name }: { readonly line: LogLine; readonly name: string | undefined }) {
  const zone = useZone();
  return (
    <p className="flex h-[18px] items-center gap-2 whitespace-pre bg-sunken px-3 font-sans text-2xs text-ink-2" data-mark="">
      <span aria-hidden className="h-px w-4 shrink-0 bg-line-strong" />
      <span className="truncate">
        {name === undefined || text.includes(name) ? '' : `${name}: `}
        {text}
        {at === null ? '' : `, ${formatMillisecond(Date.parse(at), zone).slice(0, 8)}`}
      </span>
      <span aria-hidden className="h-px min-w-4 flex-1 bg-line-strong" />
    </p>
  );
}

function Time({ at }: { readonly at: string | null }) {
  const zone = useZone();
  const instant = at === null ? Number.NaN : Date.parse(at);
  return (
    <time
      dateTime={at ?? undefined}
      title={at ?? t.writtenWithoutATime}
      className="w-[13ch] shrink-0 select-none text-ink-3 max-sm:w-[9ch]"
    >
      {Number.isNaN(instant) ? '–' : <ShortOrLong text={formatMillisecond(instant, zone)} />}
    </time>
  );
}

function ShortOrLong({ text }: { readonly text: string }) {
  return (
    <>
      {text.slice(0, 8)}
      <span className="max-sm:hidden">{text.slice(8)}</span>
    </>
  );
}
