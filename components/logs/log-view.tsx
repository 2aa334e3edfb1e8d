'use client';

import { ArrowDown } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '@/components/ui/button';
import { useZone } from '@/components/ui/time/zone';
import { t } from '@/lib/words/catalogue/objects/logs';
import { formatOffset } from '@/lib/words/times';
import type { LogReader } from './lines/log-reader';
import { LogRow, ROW_PX } from './log-row';
import { formatLogSource, nameSources } from './source-words';

/** Rows that are drawn above and below what is in view. */
const BEYOND = 12;
/** Below these nothing is wrapped sensibly. */
const LEAST_COLUMNS = 16;
const SIDE_PX = 24;
const WIDE_PX = 640;

export interface LogViewProps {
  readonly reader: LogReader;
  readonly search: string;
  readonly times: boolean;
  readonly wrap: boolean;
  /** Columns that fit beside time and name, once they are known. */
  readonly onColumns: (columns: number) => void;
  /** The line that the search stands at. */
  readonly current: number;
}

interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** The log: only the rows in sight are drawn, and it stays at the newest until somebody scrolls up. */
export function LogView({ reader, search, times, wrap, onColumns, current }: LogViewProps) {
  const version = useSyncExternalStore(reader.subscribe, reader.version, () => 0);
  const box = useRef<HTMLElement>(null);
  const [viewport, setViewport] = useState<Viewport>({ top: 0, height: 600 });
  const [isAtEnd, setAtEnd] = useState(true);
  const sources = reader.sources();
  const isNamed = sources.length > 1;
  const names = nameSources(sources);
  useColumns(box, {
    times,
    isNamed,
    onColumns,
    onHeight: (height) => setViewport((held) => (held.height === height ? held : { ...held, height })),
  });
  const { shown } = reader;
  const [first, last] = visibleRange(shown, viewport);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more, the newest comes into view
  useLayoutEffect(() => {
    if (isAtEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [version, isAtEnd, shown.rows]);
  useEffect(() => {
    if (current < 0 || box.current === null) return;
    const top = reader.shown.top(reader.shown.indexOf(current)) * ROW_PX;
    const { scrollTop, clientHeight } = box.current;
    if (top < scrollTop || top > scrollTop + clientHeight - ROW_PX) box.current.scrollTop = Math.max(0, top - clientHeight / 2);
  }, [current, reader]);
  const scroll = () => {
    if (box.current === null) return;
    const { scrollTop, clientHeight, scrollHeight } = box.current;
    const atEnd = scrollTop + clientHeight >= scrollHeight - ROW_PX;
    setViewport({ top: scrollTop, height: clientHeight });
    setAtEnd(atEnd);
    reader.stayAtEnd(atEnd);
  };
  const toEnd = () => {
    setAtEnd(true);
    reader.stayAtEnd(true);
    box.current?.focus();
  };
  const rows = [];
  for (let index = first; index < last; index++) {
    const number = shown.number(index);
    const line = reader.lines.at(number);
    if (line === undefined) continue;
    const source = reader.source(line.from);
    rows.push(
      <LogRow
        key={number}
        line={line}
        name={isNamed ? (names.get(line.from) ?? source?.pod ?? '') : undefined}
        fullName={source === undefined ? '' : formatLogSource(source)}
        times={times}
        columns={wrap ? shown.wish.columns : undefined}
        search={search}
        isCurrent={number === current}
      />,
    );
  }
  return (
    <div className="relative">
      <section
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t.linesOfTheLog}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls takes the focus, so that the arrow keys reach all of it
        tabIndex={0}
        onScroll={scroll}
        className="focus-inset h-[max(280px,calc(100dvh-300px))] overflow-auto overscroll-contain bg-sunken font-mono text-xs leading-[18px] [overflow-anchor:none]"
      >
        {shown.rows === 0 ? (
          <Nothing reader={reader} />
        ) : (
          <div className="relative w-max min-w-full" style={{ height: shown.rows * ROW_PX }}>
            <div className="min-w-full" style={{ transform: `translateY(${shown.top(first) * ROW_PX}px)` }}>
              {rows}
            </div>
          </div>
        )}
      </section>
      {isAtEnd ? null : (
        <div className="-translate-x-1/2 absolute bottom-3 left-1/2">
          <Button size="md" onClick={toEnd} className="shadow-float!">
            <ArrowDown size={14} aria-hidden /> {t.newestLines2}
          </Button>
        </div>
      )}
      {times ? <ZoneNote /> : null}
    </div>
  );
}

/** Why there is no line, while there is none. */
function Nothing({ reader }: { readonly reader: LogReader }) {
  const { lines, state } = reader;
  const isOver = state.kind === 'over' || state.kind === 'withdrawn' || state.kind === 'refused';
  const sentence =
    lines.end > lines.first
      ? t.noLineOfThoseThat
      : isOver
        ? t.nothingWasWritten
        : reader.sources().length === 0 && state.kind === 'reading'
          ? t.noPodRunsNowLines
          : t.nothingWasWrittenYetLines;
  return <p className="px-4 py-6 text-center font-sans text-ink-3 text-sm">{state.kind === 'opening' ? t.openingTheLog : sentence}</p>;
}

function ZoneNote() {
  const zone = useZone();
  return <p className="sr-only">{t.timesAre(formatOffset(Date.now(), zone))}</p>;
}

function visibleRange(shown: LogReader['shown'], { top, height }: Viewport): readonly [number, number] {
  const firstRow = Math.floor(top / ROW_PX) - BEYOND;
  const lastRow = Math.ceil((top + height) / ROW_PX) + BEYOND;
  // What is drawn must be there when the newest comes into view in the same frame.
  const rows = shown.rows;
  const [from, to] = lastRow > rows ? [Math.min(firstRow, rows - Math.ceil(height / ROW_PX) - 2 * BEYOND), rows] : [firstRow, lastRow];
  return shown.count === 0 ? [0, 0] : [shown.indexAt(Math.max(0, from)), Math.min(shown.count, shown.indexAt(to) + 1)];
}

interface Measured {
  readonly times: boolean;
  readonly isNamed: boolean;
  readonly onColumns: (columns: number) => void;
  readonly onHeight: (height: number) => void;
}

/** Tells how many columns fit beside time and name, now and whenever that changes. */
function useColumns(box: RefObject<HTMLElement | null>, { times, isNamed, onColumns, onHeight }: Measured): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks are those of this render; measuring anew for each would measure for ever
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || typeof ResizeObserver === 'undefined') return;
    const sign = current.ownerDocument.createElement('span');
    sign.textContent = '0'.repeat(100);
    sign.classList.add('invisible', 'absolute');
    current.append(sign);
    const width = sign.getBoundingClientRect().width / 100;
    sign.remove();
    const measure = () => {
      const isWide = globalThis.innerWidth >= WIDE_PX;
      const beside = (times ? (isWide ? 13 : 9) : 0) + (isNamed ? (isWide ? 19 : 7) : 0);
      onColumns(Math.max(LEAST_COLUMNS, Math.floor((current.clientWidth - SIDE_PX) / width) - beside));
      onHeight(current.clientHeight);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [box, times, isNamed]);
}
