// dependency-cruiser parses every file as plain TypeScript and stumbles over JSX and over `using`. This tells its parser which files
// have JSX, and shows it a `using` as the `const` it is to an import rule.
const swc = require('@swc/core');
const parseFileSync = swc.parseFileSync.bind(swc);

function plain(node) {
  if (Array.isArray(node)) return node.map(plain);
  if (typeof node !== 'object' || node === null) return node;
  const seen = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, plain(value)]));
  return node.type === 'UsingDeclaration'
    ? { ...seen, type: 'VariableDeclaration', kind: 'const', declare: false, declarations: seen.decls }
    : seen;
}

swc.parseFileSync = (file, options) => plain(parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') }));
