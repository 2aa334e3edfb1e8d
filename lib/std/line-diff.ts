import { diffArrays } from 'diff';

/** One line of a difference: in both, only in the newer text, only in the older one, or lines left out between two places. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '…';
  readonly text: string;
}

const CONTEXT = 3;
/** Of texts that differ in more lines than this the changed middle is told as a whole: correct, only less fine. More would hold up the event loop. */
const MAX_EDITS = 1_000;

/** Every line of both texts in order, each told as kept, added or taken away. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  const middle = diffMiddle(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  return [...old.slice(0, head).map(kept), ...middle, ...old.slice(old.length - tail).map(kept)];
}

/** What changed with a few lines around it; empty when nothing did. */
export function diffHunks(before: string, after: string, context = CONTEXT): readonly DiffLine[] {
  const lines = diffLines(before, after);
  const near = new Uint8Array(lines.length);
  lines.forEach(({ sign }, at) => {
    if (sign !== ' ') near.fill(1, Math.max(0, at - context), at + context + 1);
  });
  if (!near.includes(1)) return [];
  const hunks: DiffLine[] = [];
  let skipped = 0;
  lines.forEach((line, at) => {
    if (near[at] === 0) {
      skipped++;
      return;
    }
    if (skipped > 0) hunks.push(leftOut(skipped));
    skipped = 0;
    hunks.push(line);
  });
  return skipped > 0 ? [...hunks, leftOut(skipped)] : hunks;
}

const kept = (text: string): DiffLine => ({ sign: ' ', text });
const taken = (text: string): DiffLine => ({ sign: '-', text });
const added = (text: string): DiffLine => ({ sign: '+', text });
const leftOut = (count: number): DiffLine => ({ sign: '…', text: count === 1 ? '1 line is the same' : `${count} lines are the same` });

function toLines(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** What is taken away comes before what is added. */
function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  // Lines that only one text has are no part of what both have in common, and finding that out one by one is what takes the time.
  const [inOld, inFresh] = [new Set(old), new Set(fresh)];
  const shared = [old.filter((line) => inFresh.has(line)), fresh.filter((line) => inOld.has(line))] as const;
  const changes = diffArrays([...shared[0]], [...shared[1]], { maxEditLength: MAX_EDITS }) ?? [];
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const line of changes.flatMap(({ added: isNew, removed: isOld, value }) => (isNew || isOld ? [] : value))) {
    while (old[i] !== line) lines.push(taken(old[i++] ?? ''));
    while (fresh[j] !== line) lines.push(added(fresh[j++] ?? ''));
    lines.push(kept(line));
    i++;
    j++;
  }
  return [...lines, ...old.slice(i).map(taken), ...fresh.slice(j).map(added)];
}
