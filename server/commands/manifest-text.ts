import type { Document, Scalar } from 'yaml';
import { isAlias, isMap, isPair, isScalar, isSeq, visit } from 'yaml';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { formatPath } from '@/lib/kube/explain-issue';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readField, readString } from '@/lib/kube/fields';
import { maskSecrets } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { YamlOptions } from '@/lib/std/yaml/documents';
import { isTooDeep, readDocuments, withoutQuote, YamlFault } from '@/lib/std/yaml/documents';
import { DEEPEST } from '@/lib/std/yaml/read-yaml';
import { writeYaml } from '@/lib/std/yaml/write-yaml';
import { formatList } from '@/lib/words/figures';

const MAX_ALIASES = 50;
/** The parser counts what they stand for as well. */
const MAX_COUNTED = MAX_ALIASES + 1;
/** A whole number as people write one; beyond 2^53 no reader keeps it as it is. */
const WHOLE = /^[-+]?(?:\d+(?:\.0*)?|0x[\da-f]+|0o[0-7]+)$/i;
/** Any other number in its parts: before the point, behind it, and the exponent. */
const DECIMAL = /^[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i;
/** From here on JSON has an exponent, so that no reader takes the number for a whole one. */
const FIRST_WITH_EXPONENT = 1e21;
/** What a Kubernetes API server takes in one request. */
const MAX_CHARACTERS = 3_145_728;

type ReadDocuments = (text: string, options: YamlOptions) => readonly Document.Parsed[];

/**
 * Reads one manifest from YAML or JSON text. Bombs of aliases, bottomless nesting and keys that reach into prototypes are refused.
 * The parser is a parameter so that tests see what reaches it, and with which settings.
 */
export function parseManifest(text: string, deepest: number = DEEPEST, parse: ReadDocuments = readDocuments): KubeObject {
  return requireObject(parseText(text, deepest, { parse, isSeen: isSeenByReaders }));
}

/** Reads a map of values in the same way; nothing written is an empty one. */
export function parseValues(text: string, deepest: number = DEEPEST): Fields {
  const read = isWithoutValues(text) ? {} : parseText(text, deepest, { parse: readDocuments, isSeen: () => false });
  if (isFields(read)) return read;
  throw new AppError('invalid', `values must be a map, found ${kindOf(read)}`);
}

/** What was found where a map is needed, and nothing of what is in it. */
function kindOf(read: unknown): string {
  if (read === null) return 'nothing';
  if (Array.isArray(read)) return 'a list';
  return isFields(read) ? 'a map' : `a ${typeof read}`;
}

/** Nothing but comments and empty lines. A pattern for all of them at once takes minutes for a row of number signs. */
const isWithoutValues = (text: string) => text.split(/[\n\r\u2028\u2029]/).every((line) => /^\s*(?:#|$)/.test(line));

interface Reading {
  readonly parse: ReadDocuments;
  /** Whether people who read the text may see what stands at a place; any of a chart's values may be a password. */
  readonly isSeen: (document: Document, steps: Steps) => boolean;
}
type Steps = readonly (string | number)[];

function parseText(text: string, deepest: number, { parse, isSeen }: Reading): unknown {
  if (isTooDeep(text, deepest)) throw tooDeep(deepest);
  // The parser compares each key with all before it, which takes minutes where there are many; requireHarmless looks each up.
  const documents = documentsOf(text, parse);
  const [document, another] = documents;
  if (document === undefined) throw new AppError('invalid', 'the manifest must contain one object, found nothing');
  if (another !== undefined) throw new AppError('invalid', `the manifest must contain one object, found ${documents.length} documents`);
  const [error] = document.errors;
  if (error !== undefined) throw notYaml(new YamlFault(error.message, text, error.pos[0]));
  requireHarmless(document, deepest, isSeen);
  return requireSendable(toValue(document));
}

function documentsOf(text: string, parse: ReadDocuments): readonly Document.Parsed[] {
  try {
    return parse(text, { schema: 'core', merge: false, uniqueKeys: false });
  } catch (error) {
    throw error instanceof YamlFault ? notYaml(error) : error;
  }
}

function notYaml({ message, line, column }: YamlFault): AppError {
  return new AppError('invalid', `the manifest is not valid YAML: ${message} at line ${line}, column ${column}`);
}

/** Aliases are followed only now: one that leads nowhere, or to too much, is told by an error of the parser's own. */
function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_COUNTED });
  } catch (error) {
    throw new AppError('invalid', `the manifest has an alias that cannot be followed: ${withoutQuote(messageOf(error))}`, { cause: error });
  }
}

/** A short text may say much: what aliases stand for is written out when it is sent, once for each. */
function requireSendable(value: unknown): unknown {
  const { length = 0 } = toJson(value);
  if (length <= MAX_CHARACTERS) return value;
  throw new AppError('invalid', `the manifest has ${length} characters of JSON, and a cluster takes at most ${MAX_CHARACTERS}`);
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    throw new AppError('invalid', 'the manifest has an alias inside what it stands for, so it would have no end', { cause: error });
  }
}

function requireHarmless(document: Document, deepest: number, isSeen: Reading['isSeen']): void {
  let aliases = 0;
  visit(document, (_key, node, path) => {
    if (isAlias(node) && ++aliases > MAX_ALIASES) throw new AppError('invalid', `the manifest must have at most ${MAX_ALIASES} aliases`);
    if (path.length > deepest * 2 + 2) throw tooDeep(deepest);
    if (isScalar(node)) requireExact(node, path, (steps) => isSeen(document, steps));
    if (isMap(node)) requireDistinct(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')));
    if (!isPair(node)) return;
    if (!isScalar(node.key)) throw new AppError('invalid', 'the manifest must have plain keys, found an alias or a collection for a key');
    if (String(node.key.value) === '__proto__') throw new AppError('invalid', 'the manifest has a key __proto__, which is not allowed');
  });
}

function requireDistinct(keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) throw new AppError('invalid', `the manifest must have each key of a map once, found "${key.slice(0, 80)}" twice`);
    seen.add(key);
  }
}

/**
 * A number that cannot be kept exactly would be written as another one, and one that is none in JSON as nothing at all. Its value stands in the sentence only
 * where readers of the text see it.
 */
function requireExact({ value, source = '' }: Scalar, path: readonly unknown[], isSeen: (steps: Steps) => boolean): void {
  if (typeof value !== 'number' || isKept(value, source)) return;
  const steps = stepsOf(path);
  const field = formatPath(steps);
  const shown = isSeen(steps) ? source : undefined;
  const sentence = Number.isFinite(value) ? notExact(field, shown) : notInJson(field, shown);
  throw new AppError('invalid', `${sentence}: write it in quotes, if the kind accepts a string`, { details: { field } });
}

/** However it is written: `9.007199254740993e15` and `9007199254740993.5` are whole numbers once they are read. */
function isKept(value: number, source: string): boolean {
  if (Number.isSafeInteger(value)) return true;
  if (!Number.isFinite(value) || WHOLE.test(source)) return false;
  return !Number.isInteger(value) || Math.abs(value) >= FIRST_WITH_EXPONENT || isAsWritten(value, source);
}

/** True for `1e16`: what was read is exactly what was written, and JSON writes it so, where `1.152921504606846976e18` becomes `1152921504606847000`. */
function isAsWritten(value: number, source: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(source) ?? [];
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent);
  const written = digits.slice(0, point).padEnd(point, '0').replace(/^0+/, '');
  const isWhole = /^0*$/.test(digits.slice(point));
  return isWhole && [String(BigInt(Math.abs(value))), String(Math.abs(value))].every((read) => read === written);
}

function notExact(field: string, source: string | undefined): string {
  return source === undefined
    ? `${field} is a whole number beyond ${Number.MAX_SAFE_INTEGER}, which is not kept exactly`
    : `${field} is ${source}, and whole numbers beyond ${Number.MAX_SAFE_INTEGER} are not kept exactly`;
}

function notInJson(field: string, source: string | undefined): string {
  return source === undefined
    ? `${field} is infinite or no number, which JSON cannot hold`
    : `${field} is ${source}, which JSON cannot hold`;
}

/** False in a Secret and in a sensitive variable, and where an alias keeps it from being known. */
function isSeenByReaders(document: Document, steps: Steps): boolean {
  try {
    const whole: unknown = document.toJS({ maxAliasCount: MAX_COUNTED });
    return Object.is(readField(maskSecrets(whole).value, ...steps), readField(whole, ...steps)); // .nan is not itself
  } catch {
    return false;
  }
}

/** `spec`, `components`, 0, `name` of the nodes that lead there. */
function stepsOf(path: readonly unknown[]): Steps {
  return path.flatMap((node, at): Steps => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : '?'];
    return isSeq(node) ? [node.items.indexOf(path[at + 1])] : [];
  });
}

function tooDeep(deepest: number): AppError {
  return new AppError('invalid', `the manifest is nested deeper than ${deepest} levels (--max-depth)`);
}

/** What every object is known by. */
const NAMING = [['apiVersion'], ['kind'], ['metadata', 'name']] as const;

function requireObject(value: unknown): KubeObject {
  const missing = NAMING.filter((path) => readString(value, ...path) === undefined).map(formatPath);
  if (missing.length > 0) {
    // Nothing of the text is quoted: what lacks a kind may be a Secret, or a password that was pasted.
    const found = isFields(value) ? `a map without ${formatList(missing)}` : kindOf(value);
    throw new AppError('invalid', `the manifest needs ${formatList(NAMING.map(formatPath))}, found ${found}`);
  }
  return value as unknown as KubeObject; // checked just above
}

/** An object as people read it. */
export function toYaml(value: unknown): string {
  return writeYaml(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** An object with its members by name, so that the same content is the same text. */
export function toSortedYaml(value: unknown): string {
  return writeYaml(value, { lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true });
}
