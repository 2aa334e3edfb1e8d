import type { ASTNode } from '@marcbachmann/cel-js';
import { Environment } from '@marcbachmann/cel-js';
import { MATCHES, registerLibrary } from './cel-library';

/** A compiled expression. */
export type Program = (variables: Record<string, unknown>) => unknown;

const environment = registerLibrary(
  new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn'),
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
 * For maps it asks the same as `"path" in self.matches[0]`, so such are written that way, the last of the text first; and `matches` by the name of ours.
 */
function compile(text: string): Program {
  for (let written = text; ; ) {
    const parsed = environment.parse(written);
    const found = lastForeign(parsed.ast);
    if (found === undefined) return parsed as Program;
    const rewritten = found.rewrite(written);
    if (rewritten === written) return parsed as Program; // written as nobody foresaw: by the library's own meaning
    written = rewritten;
  }
}

interface Foreign {
  readonly start: number;
  readonly rewrite: (text: string) => string;
}

function lastForeign(node: ASTNode): Foreign | undefined {
  const below = childrenOf(node.args).map(lastForeign);
  const found = [asForeign(node), asMatch(node), ...below].filter((one): one is Foreign => one !== undefined);
  return found.reduce<Foreign | undefined>((last, one) => (last === undefined || one.start > last.start ? one : last), undefined);
}

function asForeign(node: ASTNode): Foreign | undefined {
  if (node.op !== 'call' || node.args[0] !== 'has') return undefined;
  const [asked] = node.args[1];
  if (asked?.op !== '.') return undefined;
  let root: ASTNode = asked;
  while (root.op === '.' || root.op === '.?') [root] = root.args;
  const [from, field] = asked.args;
  if (root.op === 'id') return undefined;
  const { range } = node;
  const rewrite = (text: string) =>
    `${text.slice(0, range.start)}(${JSON.stringify(field)} in ${text.slice(from.range.start, from.range.end)})${text.slice(range.end)}`;
  return { start: range.start, rewrite };
}

function asMatch(node: ASTNode): Foreign | undefined {
  if (node.op !== 'rcall' || node.args[0] !== 'matches') return undefined;
  const { end } = node.args[1].range;
  return { start: end, rewrite: (text) => text.slice(0, end) + text.slice(end).replace(/\.\s*matches/, `.${MATCHES}`) };
}

function childrenOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}
