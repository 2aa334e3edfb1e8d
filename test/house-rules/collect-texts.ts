import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

/** A text of the sources that a person may read; `{}` stands for what is put in when it is said. */
export interface FoundText {
  readonly where: string;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly value?: unknown;
  readonly name?: { readonly name?: string };
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
}

const SOURCE = /(?<!\.d)\.tsx?$/;
// What an attribute of this name holds is read by programs.
const FOR_PROGRAMS = /^(?:className|class|d|href|src|style|viewBox|transform|allow|rel)$/;

/** Finds the texts of all TypeScript files below these folders. */
export function collectTexts(folders: readonly string[]): readonly FoundText[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => SOURCE.test(file))
      .map((file) => path.join(folder, file))
      .flatMap((file) => collectOf(file, readFileSync(file, 'utf8'))),
  );
}

/** Finds the texts of one file: those with a blank between two words. */
export function collectOf(file: string, source: string): readonly FoundText[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const found: FoundText[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node) || isForPrograms(node)) return;
    const text = textOf(node)?.replace(/\s+/g, ' ').trim();
    if (text !== undefined && /[a-z{}]\S* \S*[a-z{}]/i.test(text))
      found.push({ where: `${file}:${source.slice(0, node.start).split('\n').length}`, text });
    Object.values(node).forEach(visit);
  };
  visit(program.body);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function isForPrograms(node: Node): boolean {
  return node.type === 'ImportDeclaration' || (node.type === 'JSXAttribute' && FOR_PROGRAMS.test(node.name?.name ?? ''));
}

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'TemplateLiteral') return quasis?.map((part) => part.value.cooked ?? '').join('{}');
  return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? value : undefined;
}
