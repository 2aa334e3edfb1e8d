import type { Document } from 'yaml';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { AppError } from '@/lib/contract/app-error';
import { isAppError } from '@/lib/contract/app-error';
import type { WrittenProblem } from '@/lib/contract/change-rows';
import { withoutQuote } from '@/lib/std/yaml/documents';
import { faultsIn } from '@/server/application';
import { parseApplicationText } from './parse-application-text';

type Step = string | number;
const MAX_PROBLEMS = 50;
/** Longer texts are read once: they get the first fault, without its place. */
const LONGEST_LOCATED = 200_000;

/** What is wrong with a manifest while it is being written, each where it stands; empty for one that could be applied. */
export function checkApplicationText(text: string, deepest?: number): readonly WrittenProblem[] {
  try {
    parseApplicationText(text, deepest);
    return [];
  } catch (error) {
    if (!isAppError(error) || error.code !== 'invalid') throw error;
    if (text.length > LONGEST_LOCATED)
      return toFaults(error)
        .slice(0, 1)
        .map(({ sentence }) => ({ sentence, line: 1, column: 1, endLine: 1, endColumn: 1 }));
    return locate(text, toFaults(error));
  }
}

interface Fault {
  readonly sentence: string;
  readonly path: readonly Step[];
}

function toFaults(error: AppError): readonly Fault[] {
  return faultsIn(error).map(({ message, field }) => ({
    sentence: message.replace(/^Application \S+(?: in \S+)?: /, ''),
    path: parsePath(field),
  }));
}

function locate(text: string, faults: readonly Fault[]): readonly WrittenProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, merge: false, schema: 'core', prettyErrors: false });
  const at = (offset: number) => lines.linePos(Math.min(offset, text.length));
  const problem = (sentence: string, from: number, to: number): WrittenProblem => {
    const [start, end] = [at(from), at(to)];
    return {
      sentence,
      line: Math.max(start.line, 1),
      column: Math.max(start.col, 1),
      endLine: Math.max(end.line, 1),
      endColumn: Math.max(end.col, 1),
    };
  };
  if (document.errors.length > 0)
    return document.errors.slice(0, MAX_PROBLEMS).map(({ message, pos }) => problem(toSentence(message), pos[0], pos[1]));
  const found = new Map<string, WrittenProblem>();
  for (const { sentence, path } of faults) {
    const [from, to] = rangeOf(document, path, unreadKey(sentence));
    if (!found.has(sentence)) found.set(sentence, problem(sentence, from, to));
  }
  return [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

const toSentence = (message: string) => `The text is not valid YAML: ${withoutQuote(message)}`;

/** A member that nothing reads is marked itself, not the whole map that has it. */
function unreadKey(sentence: string): string | undefined {
  return / has "([^"]+)"/.exec(sentence)?.[1];
}

/** Where the value at a path stands, or, when there is none, the nearest thing around it that does. */
function rangeOf(document: Document, path: readonly Step[], key: string | undefined): Range {
  let node: unknown = document.contents;
  let range: Range = [0, 0];
  for (const step of path) {
    const { value, range: found } = stepInto(node, step);
    range = found ?? range;
    if (!isNode(value)) break;
    node = value;
  }
  const unread =
    key !== undefined && isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === key)?.key : undefined;
  return isScalar(unread) && unread.range ? [unread.range[0], unread.range[1]] : range;
}

type Range = readonly [number, number];

/** A plain value is marked itself, a map or a list by the key that leads to it. */
function stepInto(node: unknown, step: Step): { readonly value: unknown; readonly range: Range | undefined } {
  if (isSeq(node) && typeof step === 'number') {
    const value = node.items[step];
    return { value, range: isNode(value) && value.range ? [value.range[0], value.range[0] + 1] : undefined };
  }
  const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step)) : undefined;
  const marked = isScalar(pair?.value) && pair.value.range && pair.value.range[1] > pair.value.range[0] ? pair.value : pair?.key;
  return { value: pair?.value, range: isNode(marked) && marked.range ? [marked.range[0], marked.range[1]] : undefined };
}

/** `spec.components[0].name` as steps. */
function parsePath(field: string): readonly Step[] {
  return [...field.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => (index === undefined ? (name ?? '') : Number(index)));
}
