import type { Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml';
import { Composer, isScalar, Parser, visit } from 'yaml';
import { isDeeper } from '@/lib/std/nesting';

/** Beyond these brackets and columns nothing is meant well, wherever they stand: no parser is given them. */
const MAX_BRACKETS = 500;
const MAX_DIRECTIVES = 10;

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** What the parser says, without the piece of the text that it quotes: that may be a value which nobody is to read. */
export function withoutQuote(message: string): string {
  const at = message.indexOf(': ');
  return at < 0 ? message : message.slice(0, at);
}

/** Why a text is no YAML, and where; nothing that stands there is quoted. */
export class YamlFault extends Error {
  readonly line: number;
  readonly column: number;

  constructor(why: string, text: string, offset: number) {
    super(withoutQuote(why));
    const before = text.slice(0, offset);
    this.line = before.split('\n').length;
    this.column = offset - before.lastIndexOf('\n');
  }
}

/**
 * What `parseAllDocuments` answers, without what hostile texts make it do for minutes: it stops at the first sign that belongs nowhere, at too
 * many directives and at a second document, and quotes no lines, which copies the text for each error.
 */
export function readDocuments(text: string, options: YamlOptions): readonly Document.Parsed[] {
  const composer = new Composer({ ...options, prettyErrors: false });
  const documents: Document.Parsed[] = [];
  let directives = 0;
  for (const token of new Parser().parse(text)) {
    if (token.type === 'error') throw new YamlFault(token.message, text, token.offset);
    if (token.type === 'directive' && ++directives > MAX_DIRECTIVES)
      throw new YamlFault(`it has more than ${MAX_DIRECTIVES} directives`, text, token.offset);
    documents.push(...composer.next(token));
    if (documents.length > 1) return documents;
  }
  return [...documents, ...composer.end()];
}

/** Whether a text is nested too deep for a parser, which recurses for each open bracket or deeper line: known before it is called. */
export function isTooDeep(text: string, deepest: number): boolean {
  if (isDeeper(text, deepest)) return true;
  let depth = 0;
  for (const sign of text) {
    if (sign === '[' || sign === '{') depth++;
    if (sign === ']' || sign === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_BRACKETS) return true;
  }
  return /^ {400,}\S|^(- ){200,}|(\? ){100,}/m.test(text);
}

/** Whether every key is a text, a number or the like: one that is a map or a list is written out for each that it lies in, and no reader of ours wants it. */
export function hasPlainKeys(document: Document): boolean {
  let isPlain = true;
  visit(document, {
    Pair(_key, { key }) {
      if (isScalar(key)) return undefined;
      isPlain = false;
      return visit.BREAK;
    },
  });
  return isPlain;
}
