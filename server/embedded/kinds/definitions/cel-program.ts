import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment } from '@marcbachmann/cel-js';
import { registerLibrary } from './cel-library';

/** A compiled expression. */
export type Program = (variables: Record<string, unknown>) => unknown;

const environment = registerLibrary(
  new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true }).registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn'),
);
const programs = new Map<string, Program>();

/** Compiles an expression of a rule; the same text is compiled once. Throws, with a sentence, where it is none. */
export function programOf(text: string): Program {
  const known = programs.get(text);
  if (known) return known;
  const made = compile(text);
  programs.set(text, made);
  return made;
}

/**
 * The library takes in `has()` a chain of fields from a variable only, and fails in whatever has another: `has(self.matches[0].path)`.
 * For maps it asks the same as `"path" in self.matches[0]`, so such are written that way, the last of the text first.
 */
function compile(text: string): Program {
  for (let written = text; ; ) {
    const parsed = environment.parse(written);
    const found = lastForeign(parsed.ast);
    if (found === undefined) return parsed as Program;
    const { field, from, range } = found;
    written = `${written.slice(0, range.start)}(${JSON.stringify(field)} in ${written.slice(from.start, from.end)})${written.slice(range.end)}`;
  }
}

interface Foreign {
  readonly field: string;
  readonly from: Span;
  readonly range: Span;
}
interface Span {
  readonly start: number;
  readonly end: number;
}

function lastForeign(node: ASTNode): Foreign | undefined {
  const below = childrenOf(node.args).map(lastForeign);
  const found = [asForeign(node), ...below].filter((one): one is Foreign => one !== undefined);
  return found.reduce<Foreign | undefined>((last, one) => (last === undefined || one.range.start > last.range.start ? one : last), undefined);
}

function asForeign(node: ASTNode): Foreign | undefined {
  if (node.op !== 'call' || node.args[0] !== 'has') return undefined;
  const [asked] = node.args[1];
  if (asked?.op !== '.') return undefined;
  let root: ASTNode = asked;
  while (root.op === '.' || root.op === '.?') [root] = root.args;
  const [from, field] = asked.args;
  return root.op === 'id' ? undefined : { field, from: from.range, range: node.range };
}

function childrenOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
