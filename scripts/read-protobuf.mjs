// Reads the numbers of protobuf fields off the published `generated.proto` files, for bodies that Go clients send:
//   node scripts/read-protobuf.mjs $(cd test/cluster && go list -m -f '{{.Dir}}' k8s.io/api k8s.io/apimachinery)
// The files are those of the Go modules that test/cluster is built from; names become those of the OpenAPI schemas.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const SCHEMAS = path.join(import.meta.dirname, '..', 'server', 'embedded', 'schemas');
const FIELD = /^\s*(?:(optional|required|repeated)\s+|(?=map<))(map<string,\s*[\w.]+>|[\w.]+)\s+(\w+)\s*=\s*(\d+)/;

const toSchemaName = (name) => name.replace(/^\.?k8s\.io\./, 'io.k8s.');
const messages = {};

function readProto(file) {
  const text = readFileSync(file, 'utf8');
  const home = toSchemaName(/^package ([\w.]+);/m.exec(text)?.[1] ?? '');
  const scalar = new Set(['string', 'bytes', 'bool', 'double', 'float', 'int32', 'int64', 'uint32', 'uint64']);
  const typeOf = (type) => (scalar.has(type) ? type : type.startsWith('.') ? toSchemaName(type) : `${home}.${type}`);
  for (const [, name, body] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    messages[`${home}.${name}`] = body.split('\n').flatMap((line) => {
      const found = FIELD.exec(line);
      if (!found) return [];
      const [, label, type, field, number] = found;
      const value = /^map<string,\s*(.+)>$/.exec(type)?.[1];
      return [[Number(number), field, value ? `{${typeOf(value)}` : `${label === 'repeated' ? '*' : ''}${typeOf(type)}`]];
    });
  }
}

for (const dir of process.argv.slice(2)) {
  for (const file of readdirSync(dir, { recursive: true })) if (file.endsWith('generated.proto')) readProto(path.join(dir, file));
}

// Kept: the kinds that are served, and what they are made of.
const kept = new Set();
const keep = (name) => {
  if (!messages[name] || kept.has(name)) return;
  kept.add(name);
  for (const [, , type] of messages[name]) keep(type.replace(/^[*{]/, ''));
};
const kinds = JSON.parse(readFileSync(path.join(SCHEMAS, 'kinds.generated.json'), 'utf8'));
for (const [name, schema] of Object.entries(kinds))
  if (schema['x-kubernetes-group-version-kind'] || name.endsWith('.DeleteOptions')) keep(name);
const rows = [...kept].sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(messages[name])}`);
writeFileSync(path.join(SCHEMAS, 'protobuf.generated.json'), `{\n${rows.join(',\n')}\n}\n`);
process.stdout.write(`${rows.length} messages\n`);
