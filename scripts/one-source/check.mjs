// Refuses a second computation of a fact that one room computes (docs/design.md 14). See rules.mjs for the facts and their signs.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { explainOffences } from './find-offences.mjs';
import { RULES } from './rules.mjs';

const files = ['app', 'components', 'lib', 'server'].flatMap(sources).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const offences = RULES.flatMap((rule) => explainOffences(rule, files));
for (const offence of offences) console.log(offence);
process.exitCode = offences.length > 0 ? 1 : 0;

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}
