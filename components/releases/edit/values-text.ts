import { outline } from '@/components/ui/editor/editor-outline';
import type { Schema } from '@/components/ui/editor/editor-schema';

/** A value at the top of the text that a form can hold: a word, a number, yes or no. */
export interface ValueField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  readonly help: string | null;
  /** What the chart takes where nothing is written. */
  readonly fallback: string | null;
  readonly choices: readonly string[];
}

const KINDS: Readonly<Record<string, ValueField['kind']>> = { string: 'text', integer: 'number', number: 'number', boolean: 'boolean' };

/** The fields of a form, of what a schema says stands at the top; whatever is no plain value is for the text. */
export function fieldsOf(schema: Schema | undefined): readonly ValueField[] {
  return Object.entries(schema?.properties ?? {}).flatMap(
    ([name, { type, enum: choices, description, default: fallback }]): ValueField[] => {
      const plain = choices?.every((choice) => typeof choice === 'string') ? choices.map(String) : [];
      const kind = plain.length > 0 ? 'choice' : typeof type === 'string' ? KINDS[type] : undefined;
      if (kind === undefined) return [];
      const isPlain = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
      return [{ name, kind, help: description ?? null, fallback: isPlain ? String(fallback) : null, choices: plain }];
    },
  );
}

/** What is written of a field; `elsewhere` where it stands in a form that only the text can change. */
export type WrittenField =
  | { readonly kind: 'plain'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'elsewhere' };

const PLAIN = /^(?:"(?:[^"\\]|\\["\\])*"|[^\s"'[\]{}|>&*!#][^#]*?)?\s*(?:#.*)?$/;

/** What a text says at the top under a name. */
export function readValue(text: string, name: string): WrittenField {
  const found = topOf(text, name);
  if (found === undefined) return { kind: 'absent' };
  const [line] = found;
  const rest = behindKey(text.split('\n')[line] ?? '');
  if (found.length > 1 || !PLAIN.test(rest)) return { kind: 'elsewhere' };
  const written = rest.replace(/\s+#.*$/, '').trim();
  return written === ''
    ? { kind: 'elsewhere' }
    : { kind: 'plain', value: written.startsWith('"') ? (JSON.parse(written) as string) : written }; // a text in quotes, as the pattern says
}

/** The text with another value at the top under a name, all else as it is; without a value the line goes. */
export function writeValue(text: string, { name, kind }: Pick<ValueField, 'name' | 'kind'>, value: string): string {
  const lines = text.split('\n');
  const at = topOf(text, name)?.[0];
  const line = value === '' ? [] : [`${name}: ${kind === 'text' || kind === 'choice' ? quoted(value) : value}`];
  if (at !== undefined) return lines.toSpliced(at, 1, ...line).join('\n');
  const body = text.trim() === '' ? [] : [text.replace(/\n*$/, '')];
  return value === '' ? text : [...body, ...line, ''].join('\n');
}

/** The lines that a name at the top takes; undefined where it is not written once. */
function topOf(text: string, name: string): readonly [number, ...number[]] | undefined {
  const { children } = outline(text);
  const [node, another] = children.filter((child) => child.name === name && child.kind === 'key' && child.column === 0);
  if (node === undefined || another !== undefined) return undefined;
  const next = children.find(({ line }) => line > node.line)?.line ?? text.split('\n').length;
  const more = text
    .split('\n')
    .slice(node.line + 1, next)
    .flatMap((line, index) => (/^\s+\S|^-/.test(line) ? [node.line + 1 + index] : []));
  return [node.line, ...more];
}

const behindKey = (line: string) => line.slice(line.indexOf(':') + 1).trim();

/** In quotes where YAML would read it as anything but this text. */
function quoted(value: string): string {
  const isWord = /^[A-Za-z_][\w./@-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(value);
  return isWord ? value : JSON.stringify(value);
}
