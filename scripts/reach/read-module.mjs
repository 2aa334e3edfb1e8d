// Reads a source file as a set of named pieces (top-level declarations and class members), each with what it names.
import { parseFileSync } from '@swc/core';

/**
 * @typedef {{ refs: Set<string>, names: Set<string>, imports: Set<string>, types: { from: string, name: string }[] }} Uses
 *   refs: identifiers, which may be declarations of the file; names: members that are asked for; imports: modules loaded at run time.
 * @typedef {{ uses: Uses, line: number, members: Map<string, { uses: Uses, line: number }> }} Piece
 */

const parse = (file) => parseFileSync(file, { syntax: 'typescript', tsx: file.endsWith('.tsx'), target: 'esnext' });
const noUses = () => ({ refs: new Set(), names: new Set(), imports: new Set(), types: [] });

/** The pieces of a file, what it imports under which name, what it exports, and the statements that run when it is loaded. */
export function readModule(file, text) {
  const module = parse(file);
  const start = module.span.start - leading(text);
  const read = { pieces: new Map(), imported: new Map(), exported: new Map(), stars: [], loaded: new Set(), running: noUses() };
  const line = (span) => text.slice(0, Math.max(0, span.start - start)).split('\n').length;
  for (const item of module.body) (ITEMS[item.type] ?? readStatement)(item, read, line);
  return read;
}

// swc counts bytes over all files that it has read, from the first token on.
function leading(text) {
  return text.length - text.replace(/^(\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*/, '').length;
}

const ITEMS = {
  ImportDeclaration(item, read) {
    if (!item.typeOnly) read.loaded.add(item.source.value);
    for (const each of item.specifiers) {
      const name =
        each.type === 'ImportSpecifier' ? (each.imported ?? each.local).value : each.type === 'ImportDefaultSpecifier' ? 'default' : '*';
      read.imported.set(each.local.value, { from: item.source.value, name });
    }
  },
  ExportNamedDeclaration(item, read, line) {
    if (item.source !== null && !item.typeOnly) read.loaded.add(item.source.value);
    for (const each of item.specifiers) {
      const name = (each.exported ?? each.orig ?? each.name).value;
      const target = item.source === null ? { local: each.orig.value } : { from: item.source.value, name: each.orig?.value ?? '*' };
      read.exported.set(name, { ...target, line: line(each.span) });
    }
  },
  ExportAllDeclaration(item, read) {
    read.loaded.add(item.source.value);
    read.stars.push(item.source.value);
  },
  ExportDeclaration(item, read, line) {
    for (const name of readDeclaration(item.declaration, read, line)) read.exported.set(name, { local: name, line: line(item.span) });
  },
  ExportDefaultDeclaration(item, read, line) {
    const declared = { ...item.decl, type: item.decl.type.replace('Expression', 'Declaration'), identifier: { value: 'default' } };
    readDeclaration(declared, read, line);
    read.exported.set('default', { local: 'default', line: line(item.span) });
  },
  ExportDefaultExpression(item, read, line) {
    addPiece(read, 'default', item.expression, line(item.span));
    read.exported.set('default', { local: 'default', line: line(item.span) });
  },
};

function readStatement(item, read, line) {
  if (readDeclaration(item, read, line).length === 0) collect(item, read.running);
}

/** Adds what a statement declares and gives the names; none when it is no declaration. */
function readDeclaration(item, read, line) {
  const at = line(item.span);
  if (item.type === 'ClassDeclaration') return [addClass(read, item, line)];
  if (item.type === 'FunctionDeclaration') return [addPiece(read, item.identifier.value, item, at)];
  if (item.type === 'TsInterfaceDeclaration' || item.type === 'TsTypeAliasDeclaration' || item.type === 'TsModuleDeclaration')
    return [addPiece(read, item.id.value, { ...item, id: null }, at)];
  if (item.type !== 'VariableDeclaration') return [];
  return item.declarations.flatMap((each) => boundNames(each.id).map((name) => addPiece(read, name, each, line(each.span))));
}

function addPiece(read, name, node, line) {
  const known = read.pieces.get(name); // a type and a value, or overloads, of one name are one piece
  const piece = known ?? { uses: noUses(), line, members: new Map() };
  collect(node, piece.uses);
  piece.uses.refs.delete(name);
  read.pieces.set(name, piece);
  return name;
}

// A member is a piece of its own; what runs whenever there is an instance (fields, the constructor, computed and private members)
// belongs to the class. One that extends a class of somebody else may be called by it, so there all belongs to the class.
function addClass(read, item, line) {
  const name = item.identifier.value;
  const own = item.superClass === null || isOurs(item.superClass, read);
  const apart = (member) => own && (member.type === 'ClassMethod' || member.type === 'ClassProperty') && member.key.type === 'Identifier';
  addPiece(
    read,
    name,
    { ...item, identifier: null, body: item.body.filter((member) => !apart(member) || member.type === 'ClassProperty') },
    line(item.span),
  );
  const { members } = read.pieces.get(name);
  for (const member of item.body.filter(apart)) {
    const uses = members.get(member.key.value)?.uses ?? noUses();
    if (member.type === 'ClassMethod') collect(member.function, uses);
    members.set(member.key.value, { uses, line: line(member.span) });
  }
  return name;
}

/** Whether a class that is extended calls nothing that we do not see: one of ours is read as well, and an error calls nothing. */
function isOurs({ type, value }, { imported, pieces }) {
  const from = imported.get(value)?.from;
  return type === 'Identifier' && (value === 'Error' || pieces.has(value) || /^(\.|@\/)/.test(from ?? ''));
}

function boundNames(pattern) {
  if (pattern.type === 'Identifier') return [pattern.value];
  const parts = pattern.type === 'ObjectPattern' ? pattern.properties : (pattern.elements ?? []).filter((each) => each !== null);
  return parts.flatMap((each) => boundNames(each.argument ?? each.value ?? each.key ?? each));
}

const KEYED = new Set([
  'KeyValueProperty',
  'MethodProperty',
  'GetterProperty',
  'SetterProperty',
  'ClassMethod',
  'ClassProperty',
  'TsPropertySignature',
  'TsMethodSignature',
]);

/** Adds to `uses` what a piece of syntax names. Scopes are not followed: a local name hides no declaration, so nothing used is missed. */
function collect(node, uses) {
  if (Array.isArray(node)) for (const each of node) collect(each, uses);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const handled = SYNTAX[node.type]?.(node, uses) ?? [];
  const skipped = KEYED.has(node.type) && node.key.type === 'Identifier' ? [...handled, 'key'] : handled;
  for (const [name, value] of Object.entries(node)) if (!skipped.includes(name) && name !== 'span') collect(value, uses);
}

/** What is special about a kind of syntax; each gives the members that it has dealt with. */
const SYNTAX = {
  Identifier: (node, uses) => void uses.refs.add(node.value),
  MemberExpression: member,
  SuperPropExpression: member,
  KeyValuePatternProperty: (node, uses) => addName(node.key, uses, ['key']),
  AssignmentPatternProperty: (node, uses) => addName(node.key, uses, []),
  JSXMemberExpression: (node, uses) => addName(node.property, uses, ['property']),
  TsQualifiedName: (node, uses) => addName(node.right, uses, ['right']),
  TsIndexedAccessType: (node, uses) => addName(node.indexType.literal, uses, []),
  TsImportType(node, uses) {
    uses.types.push({ from: node.argument.value, name: node.qualifier?.left?.value ?? node.qualifier?.value ?? '*' });
    return ['qualifier', 'argument'];
  },
  CallExpression(node, uses) {
    const [argument] = node.arguments;
    if (node.callee.type === 'Import' && argument?.expression.type === 'StringLiteral') uses.imports.add(argument.expression.value);
  },
};

function member(node, uses) {
  return addName(
    node.property.type === 'Computed' ? node.property.expression : node.property,
    uses,
    node.property.type === 'Computed' ? [] : ['property'],
  );
}

function addName(key, uses, handled) {
  if (key?.type === 'Identifier' || key?.type === 'StringLiteral') uses.names.add(key.value);
  return handled;
}
