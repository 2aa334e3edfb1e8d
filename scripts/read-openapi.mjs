// Reads the schemas and the discovery documents of the API server of KUBECONFIG into server/embedded/schemas:
//   eval "$(test/cluster/up)" && node scripts/read-openapi.mjs
// Descriptions are left out; references are bare names. `openapi.ts` there makes a published document of it again.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OUT = path.join(import.meta.dirname, '..', 'server', 'embedded', 'schemas');
// What the simulator has no use for.
const LEFT_OUT = new Set(['flowcontrol.apiserver.k8s.io', 'resource.k8s.io', 'certificates.k8s.io', 'internal.apiserver.k8s.io']);
const KEPT = [
  'type',
  'format',
  'required',
  'enum',
  'default',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-group-version-kind',
  'oneOf',
]; // prettier-ignore

const bin = process.env.KUBEBUILDER_ASSETS;
const kubectl = bin ? path.join(bin, 'kubectl') : 'kubectl';
const read = (where) => JSON.parse(execFileSync(kubectl, ['get', '--raw', where], { maxBuffer: 1 << 28, encoding: 'utf8' }));

function slim(schema) {
  const only = schema.allOf?.length === 1 && !schema.properties ? { ...schema.allOf[0] } : {};
  const kept = {};
  if (schema.$ref ?? only.$ref) kept.$ref = (schema.$ref ?? only.$ref).replace('#/components/schemas/', '');
  for (const member of KEPT) if (schema[member] !== undefined) kept[member] = schema[member];
  if (schema.properties)
    kept.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, slim(member)]));
  if (schema.items) kept.items = slim(schema.items);
  if (typeof schema.additionalProperties === 'object') kept.additionalProperties = slim(schema.additionalProperties);
  return kept;
}

function resourcesOf(groupVersion) {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  return read(root).resources.map(({ storageVersionHash: _hash, ...resource }) => resource);
}

const groups = [
  { name: '', versions: ['v1'] },
  ...read('/apis').groups.map(({ name, versions }) => ({ name, versions: versions.map(({ version }) => version) })),
].filter(({ name }) => !LEFT_OUT.has(name));

const schemas = {};
const discovery = [];
for (const { name, versions } of groups) {
  for (const version of versions) {
    const groupVersion = name === '' ? version : `${name}/${version}`;
    const document = read(`/openapi/v3/${name === '' ? 'api' : 'apis'}/${groupVersion}`);
    for (const [key, schema] of Object.entries(document.components.schemas)) {
      const own = slim(schema);
      // Types that every group has (DeleteOptions, WatchEvent) list one entry per group; nobody needs those.
      if (own['x-kubernetes-group-version-kind']?.length > 4) delete own['x-kubernetes-group-version-kind'];
      schemas[key] = own;
    }
    discovery.push({ group: name, version, resources: resourcesOf(groupVersion) });
  }
}

mkdirSync(OUT, { recursive: true });
const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
const lines = Object.entries(sorted).map(([key, schema]) => `${JSON.stringify(key)}:${JSON.stringify(schema)}`);
writeFileSync(path.join(OUT, 'kinds.generated.json'), `{\n${lines.join(',\n')}\n}\n`);
const rows = discovery.map((row) => JSON.stringify(row));
writeFileSync(path.join(OUT, 'discovery.generated.json'), `[\n${rows.join(',\n')}\n]\n`);
const version = read('/version');
writeFileSync(
  path.join(OUT, 'version.generated.json'),
  `${JSON.stringify({ major: version.major, minor: version.minor, gitVersion: version.gitVersion })}\n`,
);
process.stdout.write(`${lines.length} schemas, ${rows.length} group versions of ${version.gitVersion}\n`);
