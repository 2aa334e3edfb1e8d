/** One line of a difference: in both, only in the newer text, only in the older one, or lines left out between two places. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '…';
  readonly text: string;
}

const CONTEXT = 3;
/** Above this many comparisons the changed middle is told as a whole: correct, only less fine. */
const MOST_CELLS = 4_000_000;

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
const leftOut = (count: number): DiffLine => ({ sign: '…', text: count === 1 ? '1 line is the same' : `${count} lines are the same` });

function toLines(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** By the longest common subsequence; what is taken away comes before what is added. */
function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  const taken = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  if (old.length === 0 || fresh.length === 0 || (old.length + 1) * (fresh.length + 1) > MOST_CELLS) return [...old.map(taken), ...fresh.map(added)];
  const inCommon = commonLengths(old, fresh);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push(kept(old[i++] ?? ''));
      j++;
    } else if (inCommon(i + 1, j) >= inCommon(i, j + 1)) {
      lines.push(taken(old[i++] ?? ''));
    } else {
      lines.push(added(fresh[j++] ?? ''));
    }
  }
  return [...lines, ...old.slice(i).map(taken), ...fresh.slice(j).map(added)];
}

/** How many lines two texts have in common at most, from any place in each on. */
function commonLengths(old: readonly string[], fresh: readonly string[]): (i: number, j: number) => number {
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      table[i * width + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
