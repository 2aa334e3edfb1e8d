import type { HelmAccount } from '../../cluster/missing-right';
import { missingRightCommand } from '../../cluster/missing-right';
import { diskFullAt, diskFullIn } from '../../process/disk-full';

/** Of the API server, or of what it keeps objects in. */
const STORAGE_FULL = /"sh\.helm\.release\.v1\.[^"]*" is invalid: data: Too long|request is too large|request entity too large/i;
const STORAGE_FULL_MEANS =
  'Helm stores a release with all files of its chart in one Secret of at most 1 MiB, and this one is larger: exclude files with .helmignore, or split the chart';
/** Where Helm stores what it installs. */
const NO_NAMESPACE = /^INSTALLATION FAILED: create: failed to create: namespaces "[^"]+" not found$/;
/** Where Helm could not delete an object; which, and why, stands in its log alone. */
const NOT_DELETED = /^failed to delete release: \S+$/;
const NOT_DELETED_LINE = /^uninstall: Failed to delete release(?:: | error=)(.+)$/;
/** Where Helm 3 tells the error once more, with the places in its code that it came through. */
const STACK = /^[\w./-]+\.go:\d+:.*\[debug\]/m;
/** Where Go tells what a program that crashed was at. */
const CRASH = /^(?:runtime stack:|goroutine \d+ )/m;
/** How Helm 4 begins a line of its log, and how Helm 3 does. */
const STRUCTURED = /^level=(\w+) msg=("(?:[^"\\]|\\.)*"|\S+)(.*)$/;
const PLAIN = /^(?:[\w./-]+\.go:\d+: )?(?:\d{4}[-/]\d\d[-/]\d\d \S+ (?:[+-]\d{4} \w+ m=\S+ )?)?\[debug\] (.*)$/;

const MAX_LINES = 8;
const MAX_CHARACTERS = 2000;
/** Many times what is told of each end: a value becomes shorter when it is masked. */
const MASKED_END = 32 * 1024;
/** How much is masked around what may tell why. */
const AROUND = 1024;
/** As long as a piece by which values are masked. */
const LONGEST_HALF = 64;

/** A line of Helm's log without what surrounds it: its words, then what they are about. */
export function readLogLine(line: string): string {
  const [, level = '', message = '', rest = ''] = STRUCTURED.exec(line) ?? [];
  if (level === '') return PLAIN.exec(line)?.[1] ?? line;
  const words = message.startsWith('"') ? unquote(message) : message;
  const told = level === 'DEBUG' || level === 'INFO' ? words : `${level}: ${words}`;
  return `${told}${rest}`;
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1); // Go escapes what JSON does not
  }
}

interface Ended {
  readonly command: string;
  /** Whether a signal ended it, which says nothing. */
  readonly isKilled: boolean;
  readonly mask: (text: string) => string;
  /** As whom it ran; absent for the server itself. */
  readonly account?: HelmAccount | undefined;
  /** The namespace that it was to create; absent for none. */
  readonly namespace?: string | undefined;
}

/** Helm's last word, which is the error, without the values in it and in one line; what comes before are log lines. */
export function sentenceOf(stderr: string, { command, isKilled, mask, account, namespace }: Ended): string {
  const [before = '', ...errors] = stderr.split(/^Error: /m);
  const told = errors.at(-1) ?? withoutLog(before);
  const error = (told.split(STACK)[0]?.split(CRASH)[0] ?? '').trim();
  const whole = toOneLine(...maskEnds(error, mask));
  const text = bothEnds(whole);
  if (text === '') return `helm ${command} ${isKilled ? 'was killed' : 'failed without an error message'}${lastLineOf(before, mask)}`;
  const meaning = meaningOf(whole) ?? meaningWithin(error, mask);
  if (meaning !== undefined) return `${meaning} (${text})`;
  if (NO_NAMESPACE.test(text)) return `${text}; create it, or have Helm do so by spec.createNamespace`;
  if (NOT_DELETED.test(text)) return `${text}${whyNotDeleted(before, mask)}`;
  const grant = account && missingRightCommand(text, account);
  if (grant === undefined) return text;
  const isToMake = namespace !== undefined && text.includes(`namespaces "${namespace}" is forbidden`);
  return isToMake
    ? `${text}; create it: kubectl create namespace ${namespace}, or let the account create namespaces: ${grant}`
    : `${text}; this grants it the right: ${grant}`;
}

/** What is full, of Helm's storage or of the disk. */
const meaningOf = (text: string) => (STORAGE_FULL.test(text) ? STORAGE_FULL_MEANS : diskFullIn(text));

/** The same of a long error that tells it neither first nor last; a value that reads like it is none. */
function meaningWithin(error: string, mask: Ended['mask']): string | undefined {
  for (const at of [error.search(STORAGE_FULL), diskFullAt(error)]) {
    const meaning = at === -1 ? undefined : meaningOf(mask(error.slice(Math.max(0, at - AROUND), at + AROUND)));
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

/**
 * A text without the values in it, and how many lines it lacks. Of a long one only both ends are masked, which takes its time for each sign. Where it is cut nobody
 * knows a value by its half, so of each end only that is told which is masked alike where as much is known beyond it as may be of a value: longer ones are masked
 * by pieces.
 */
function maskEnds(text: string, mask: Ended['mask']): readonly [string, number] {
  if (text.length <= 2 * MASKED_END) return [mask(text), 0];
  const [start, end] = [text.slice(0, MASKED_END), text.slice(-MASKED_END)];
  const [first, last] = [mask(start), mask(end)];
  const [further, earlier] = [mask(text.slice(0, MASKED_END + 2 * LONGEST_HALF)), mask(text.slice(-MASKED_END - 2 * LONGEST_HALF))];
  // Nothing is shown of it, and a sentence stands for all.
  if (first === last && first === further && first === earlier) return [first, 0];
  const kept = alike((at) => at < first.length && first[at] === further[at]);
  const keptLast = alike((at) => at < last.length && last.at(-1 - at) === earlier.at(-1 - at));
  const ends = `${first.slice(0, kept).trimEnd()} … ${last.slice(last.length - keptLast).trimStart()}`;
  return [ends, linesOf(text).length - linesOf(`${start} … ${end}`).length];
}

const linesOf = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);

/** How many signs are alike, one after another. */
function alike(isAlike: (at: number) => boolean): number {
  let count = 0;
  while (isAlike(count)) count++;
  return count;
}

/** What fails for each of many objects is told of the first of them. */
function toOneLine(text: string, linesLeftOut: number): string {
  const lines = linesOf(text);
  const shown = lines.slice(0, MAX_LINES).join('; ').replaceAll(':; ', ': ');
  const more = lines.length + linesLeftOut - MAX_LINES;
  return more > 0 ? `${shown}; and ${more} more lines` : shown;
}

/** Templates that include each other say where they began first, and what is wrong last. */
function bothEnds(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  return `${text.slice(0, MAX_CHARACTERS / 2)} … ${text.slice(-MAX_CHARACTERS / 2)}`;
}

function withoutLog(text: string): string {
  return text
    .split('\n')
    .filter((line) => !STRUCTURED.test(line) && !PLAIN.test(line))
    .join('\n');
}

function whyNotDeleted(log: string, mask: Ended['mask']): string {
  const why = log.split('\n').flatMap((line) => NOT_DELETED_LINE.exec(readLogLine(line))?.[1] ?? []);
  const [text = ''] = why.slice(-1).map((last) => (last.startsWith('"') ? unquote(last) : last));
  return text === '' ? '' : `: ${bothEnds(maskEnds(text, mask)[0])}`;
}

function lastLineOf(log: string, mask: Ended['mask']): string {
  const last = log.trim().split('\n').at(-1) ?? '';
  return last === '' ? '' : `; its last line: ${maskEnds(readLogLine(last), mask)[0].slice(0, 500)}`;
}
