import { parseSync } from 'vite';
import type { FoundText } from './collect-texts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly value?: unknown;
  readonly name?: { readonly name?: string };
  readonly key?: { readonly name?: string; readonly value?: unknown };
  readonly callee?: { readonly name?: string; readonly property?: { readonly name?: string } };
  readonly operator?: string;
  readonly directive?: string | null;
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
  readonly openingElement?: { readonly name?: { readonly name?: string } };
}

/** Names of attributes and members of which the text is read by a person. */
const SAID =
  /^(?:aria-label|aria-valuetext|title|label|placeholder|alt|head|heading|word|noun|any|note|hint|awaits|help|text|blocked|pending|what|description|summary|caption|said)$/;
/** Names of attributes and members of which the text is read by programs. */
const FOR_PROGRAMS =
  /^(?:\w*[cC]lassName|class|d|href|src|style|viewBox|transform|allow|rel|key|id|sort|overflow|textDecoration|content|value)$/;
/** What is handed to these is read by programs, or by those who program. */
const CALLS = /^(?:cx|cva|buttonVariants|Error|RegExp|querySelector|querySelectorAll|closest|addEventListener|matchMedia|import)$/;
const SKIPPED = /^(?:ImportDeclaration|ExportAllDeclaration|TS\w+)$/;
const KEYS = /^(?:Kbd|kbd|code)$/;
const LETTER = /\p{L}/u;
const WORDS = /\p{L}\S* \S*[\p{L}{]|[\p{L}}]\S* \S*\p{L}/u;

/** Texts of one file that a person reads on the screen, though they do not stand in the catalogue. */
export function findOutside(file: string, source: string): readonly FoundText[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message ?? ''}`);
  const found: FoundText[] = [];
  const visit = (node: unknown, isSaid: boolean): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, isSaid);
    if (!isNode(node) || SKIPPED.test(node.type) || isForPrograms(node)) return;
    const text = textOf(node)?.replace(/\s+/g, ' ').trim() ?? '';
    if (isRead(text, isSaid || node.type === 'JSXText'))
      found.push({ where: `${file}:${source.slice(0, node.start).split('\n').length}`, text });
    for (const [member, child] of Object.entries(node)) {
      if (!isKeyOf(node, member)) visit(child, saysTo(node, member, isSaid));
    }
  };
  visit(program.body, false);
  return found;
}

function isRead(text: string, isSaid: boolean): boolean {
  if (!LETTER.test(text.replaceAll('{}', ''))) return false;
  return isSaid || (WORDS.test(text) && !isClassList(text.replaceAll('{}', '')));
}

/** Sizes and colours, or lower case and most of it with signs that no word has. */
function isClassList(text: string): boolean {
  const names = text.trim().split(/\s+/);
  if (/\b\d+px\b|\bvar\(--/.test(text)) return true;
  return !/[A-Z][a-z]/.test(text) && names.filter((name) => /[-:[(/]./.test(name)).length * 2 >= names.length;
}

/** Whether what is inside is read by a person, whatever it looks like. */
function saysTo({ type, name, key }: Node, member: string, isSaid: boolean): boolean {
  if (type === 'JSXAttribute') return SAID.test(name?.name ?? '');
  if (type === 'Property') return SAID.test(key?.name ?? String(key?.value ?? ''));
  if (type === 'JSXElement' || type === 'JSXFragment') return member === 'children';
  return /^(?:JSXExpressionContainer|ConditionalExpression|LogicalExpression)$/.test(type) && isSaid;
}

function isKeyOf({ type }: Node, member: string): boolean {
  if (type === 'Property' || type === 'PropertyDefinition') return member === 'key';
  if (type === 'ConditionalExpression') return member === 'test';
  return type === 'MemberExpression' && member === 'property';
}

function isForPrograms({ type, name, key, callee, operator, directive, openingElement }: Node): boolean {
  if (typeof directive === 'string') return true;
  if (type === 'JSXAttribute') return FOR_PROGRAMS.test(name?.name ?? '') || (name?.name ?? '').startsWith('data-');
  if (type === 'Property') return FOR_PROGRAMS.test(key?.name ?? '');
  if (type === 'CallExpression' || type === 'NewExpression') return CALLS.test(callee?.name ?? callee?.property?.name ?? '');
  if (type === 'BinaryExpression') return operator === '===' || operator === '!==';
  return type === 'JSXElement' && KEYS.test(openingElement?.name?.name ?? '');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function textOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'TemplateLiteral') return quasis?.map((part) => part.value.cooked ?? '').join('{}');
  return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? value : undefined;
}
