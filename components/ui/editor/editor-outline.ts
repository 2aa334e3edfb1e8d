/** One key or list item of a text of YAML, by where it stands. Broken text has an outline too: it is what an editor works on. */
export interface OutlineNode {
  readonly kind: 'root' | 'key' | 'item';
  /** Name of a key; the index of an item. */
  readonly name: string;
  /** Line, from 0, and the column the name starts in. */
  readonly line: number;
  readonly column: number;
  /** Plain value behind a key, as written. */
  readonly value: string;
  readonly parent: OutlineNode | null;
  readonly children: readonly OutlineNode[];
}

interface Growing extends Omit<OutlineNode, 'children' | 'parent'> {
  readonly parent: Growing | null;
  readonly children: Growing[];
}

interface Entry {
  readonly kind: 'key' | 'item';
  readonly name: string;
  readonly column: number;
  readonly value: string;
}

const KEY = /^("[^"]*"|'[^']*'|[^\s#:'"[\]{}][^:#]*?)\s*:(?:\s+(.*)|$)/;

/** Keys and items of a line: `- name: web` is an item and a key. */
function entriesOf(line: string): readonly Entry[] {
  const entries: Entry[] = [];
  let column = line.length - line.trimStart().length;
  let rest = line.slice(column);
  for (let marker = /^-(\s+|$)/.exec(rest); marker !== null; marker = /^-(\s+|$)/.exec(rest)) {
    entries.push({ kind: 'item', name: '', column, value: '' });
    column += marker[0].length;
    rest = rest.slice(marker[0].length);
  }
  const key = KEY.exec(rest);
  if (key !== null)
    entries.push({ kind: 'key', name: unquoted(key[1] ?? ''), column, value: unquoted((key[2] ?? '').replace(/\s+#.*$/, '').trim()) });
  return entries;
}

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2');

/** True when an entry at this column belongs below a node: deeper, or a list at the column of its key. */
function belongsBelow(node: Growing, kind: 'key' | 'item', column: number): boolean {
  return node.column < column || (node.column === column && node.kind === 'key' && kind === 'item');
}

function parentOf(last: Growing, kind: 'key' | 'item', column: number): Growing {
  let at: Growing = last;
  while (at.parent !== null && !belongsBelow(at, kind, column)) at = at.parent;
  return at;
}

/** The outline of a text up to a line, and the last node of it. */
function grow(lines: readonly string[]): { readonly root: Growing; readonly last: (line: number) => Growing } {
  const root: Growing = { kind: 'root', name: '', line: -1, column: -1, value: '', parent: null, children: [] };
  const lastOf: Growing[] = [];
  let last = root;
  let block = Number.POSITIVE_INFINITY; // column of a key whose text block is being passed over
  lines.forEach((line, number) => {
    const indent = line.length - line.trimStart().length;
    const isText = line.trim() !== '' && indent > block;
    if (line.trim() !== '' && !isText) block = Number.POSITIVE_INFINITY;
    if (!isText && !/^\s*(#|---|$)/.test(line)) {
      for (const entry of entriesOf(line)) {
        const parent = parentOf(last, entry.kind, entry.column);
        const name = entry.kind === 'item' ? String(parent.children.length) : entry.name;
        last = { ...entry, name, line: number, parent, children: [] };
        parent.children.push(last);
        if (/^[|>][-+\d]*$/.test(entry.value)) block = entry.column;
      }
    }
    lastOf[number] = last;
  });
  return { root, last: (line) => (line < 0 ? root : (lastOf[line] ?? last)) };
}

/** Keys and items of a text, nested as their columns say. */
export function outline(text: string): OutlineNode {
  return grow(text.split('\n')).root;
}

/** What stands at a place of a text, or would stand there if it were written. */
export type Place =
  | { readonly kind: 'key'; readonly parent: OutlineNode; readonly typed: string; readonly column: number }
  | { readonly kind: 'value'; readonly node: OutlineNode; readonly typed: string; readonly column: number };

/** Whether a key or a value is being written at a place, and below what. Line from 0, column from 0. */
export function placeAt(text: string, line: number, column: number): Place | null {
  const lines = text.split('\n');
  const before = (lines[line] ?? '').slice(0, column);
  if (/(^|\s)#/.test(before)) return null;
  const { last } = grow(lines);
  const found = nodeOfLine(last(line), line);
  if (found !== undefined && column > found.column + found.name.length) {
    const typed = /:\s+(.*)$/.exec(before.slice(found.column))?.[1];
    return typed === undefined ? null : { kind: 'value', node: found, typed, column: column - typed.length };
  }
  const typed = /[^\s]*$/.exec(before)?.[0] ?? '';
  const markers = /^(\s*(?:-\s+)*)/.exec(before)?.[1] ?? '';
  const start = found?.column ?? markers.length;
  // A key that stands there already is below its own parent; a new one is below whatever its column says.
  const parent = found?.parent ?? parentOf(itemOf(last(line), line) ?? last(line - 1), 'key', start);
  return { kind: 'key', parent, typed: before.slice(start).length > 0 ? before.slice(start) : typed, column: start };
}

function nodeOfLine(last: Growing, line: number): Growing | undefined {
  return last.line === line && last.kind === 'key' ? last : undefined;
}

function itemOf(last: Growing, line: number): Growing | undefined {
  return last.line === line && last.kind === 'item' ? last : undefined;
}

/** The key whose name or value covers a place; undefined where none does. */
export function keyAt(text: string, line: number, column: number): OutlineNode | undefined {
  const { last } = grow(text.split('\n'));
  const found = nodeOfLine(last(line), line);
  return found !== undefined && column >= found.column ? found : undefined;
}

/** The kind that a map says it is of, as `apiVersion kind`; undefined for any other map. */
export function kindWritten({ children }: OutlineNode): string | undefined {
  const read = (name: string) => children.find((child) => child.name === name)?.value ?? '';
  const [apiVersion, kind] = [read('apiVersion'), read('kind')];
  return apiVersion === '' || kind === '' ? undefined : `${apiVersion} ${kind}`;
}

/** Every kind that a map of a text says it is of, each once. */
export function kindsWritten(text: string): readonly string[] {
  const found = new Set<string>();
  const stack: OutlineNode[] = [outline(text)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const kind = kindWritten(node);
    if (kind !== undefined) found.add(kind);
    stack.push(...node.children);
  }
  return [...found];
}

/** From the root down to a node, the root left out. */
export function pathToNode(node: OutlineNode): readonly OutlineNode[] {
  return node.parent === null ? [] : [...pathToNode(node.parent), node];
}
