// Refuses a second computation of a fact that one room computes (docs/design.md 14). See rules.mjs for the facts and their signs.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findOffences } from './find-offences.mjs';
import { RULES } from './rules.mjs';

const files = ['app', 'components', 'lib', 'server'].flatMap(sources).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
for (const rule of RULES) {
  const found = findOffences(rule, files);
  for (const [file, line, text] of found) {
    if (rule.offenders.includes(file) || rule.licensed?.[file] !== undefined) continue;
    process.exitCode = 1;
    console.log(`${file}:${line}: ${rule.fact} is told by another room; ${rule.instead}\n    ${text}`);
  }
  for (const file of [...rule.offenders, ...Object.keys(rule.licensed ?? {})]) {
    if (!found.some(([each]) => each === file)) console.log(`scripts/one-source/rules.mjs: ${file} no longer does this (${rule.fact}); drop it from the list`);
  }
}

if (process.exitCode)
  console.log('What cannot be mended in the same change is listed under `offenders` in scripts/one-source/rules.mjs; the list may only shrink.');

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}
