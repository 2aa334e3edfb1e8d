import type { LogLine } from '@/lib/contract/log-stream';
import { showHidden } from '@/lib/words/show-hidden';
import type { CutLine } from './split-lines';

/** A line with its place among those of all containers: milliseconds with their fraction; undefined where nobody wrote a time. */
export interface PlacedLine {
  readonly order: number | undefined;
  readonly line: LogLine;
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d) /;
const CARRIAGE_RETURNS = /\r/g;

/** Reads the lines of one container. Lines of the same second are many, so the latest second is kept. */
export function createLineReader(from: number): (line: CutLine) => PlacedLine {
  let second = '';
  let ms = Number.NaN;
  return ({ text, cut }) => {
    const [stamp, seconds, fraction = '', zone] = STAMP.exec(text) ?? [];
    const rest = { ...(cut > 0 ? { cut } : {}) };
    if (stamp === undefined) return { order: undefined, line: { from, at: null, text: toShown(text), ...rest } };
    const whole = `${seconds}${zone}`;
    if (whole !== second) [second, ms] = [whole, Date.parse(whole)];
    const order = Number.isNaN(ms) ? undefined : ms + Number(`0${fraction}`) * 1000;
    return { order, line: { from, at: stamp.trimEnd(), text: toShown(text.slice(stamp.length)), ...rest } };
  };
}

/** A line end of Windows is one; elsewhere a carriage return would write over what is before it. */
function toShown(text: string): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  const shown = showHidden(line);
  return shown.includes('\r') ? shown.replace(CARRIAGE_RETURNS, '\\u000d') : shown;
}
