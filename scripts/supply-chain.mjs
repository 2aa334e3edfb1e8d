// What ships with the server, and under which licences: writes dist/sbom.json (CycloneDX) and dist/licences.txt, and asks the registry for known
// vulnerabilities where it answers. Fails on a licence that nobody has looked at, and on a vulnerability that is high or critical.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

/** Licences that somebody has looked at; LGPL is that of a shared library which is loaded as it is. */
const KNOWN = new Set(
  'MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD Unlicense CC0-1.0 CC-BY-4.0 OFL-1.1 PSF-2.0 Python-2.0 BlueOak-1.0.0 LGPL-3.0-or-later'.split(
    ' ',
  ),
);

const npm = (...args) => spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const made = npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev');
if (made.status !== 0) throw new Error(`npm sbom: ${made.stderr}`);
const sbom = JSON.parse(made.stdout);
const parts = sbom.components.map(({ name, version, licenses = [] }) => {
  const licence = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression).join(' AND ') || 'none';
  return { name, version, licence };
});
mkdirSync('dist', { recursive: true });
writeFileSync('dist/sbom.json', made.stdout);
writeFileSync('dist/licences.txt', parts.map(({ name, version, licence }) => `${name} ${version}: ${licence}\n`).join(''));
const unknown = parts.filter(({ licence }) => licence.split(/ AND | OR |[()]/).some((one) => one !== '' && !KNOWN.has(one)));
for (const { name, version, licence } of unknown)
  console.log(`supply chain: ${name} ${version} is under ${licence}, which nobody has looked at`);
console.log(`supply chain: ${parts.length} packages ship; dist/sbom.json, dist/licences.txt`);

const vulnerable = countVulnerable();
process.exitCode = unknown.length > 0 || vulnerable > 0 ? 1 : 0;

/** So many that are high or critical; 0 where the registry does not say. */
function countVulnerable() {
  const report = readJson(npm('audit', '--omit', 'dev', '--json').stdout);
  const counts = report?.metadata?.vulnerabilities;
  if (counts === undefined) {
    console.log('supply chain: the registry answers no audit');
    return 0;
  }
  console.log(`supply chain: known vulnerabilities ${JSON.stringify(counts)}`);
  return counts.high + counts.critical;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
