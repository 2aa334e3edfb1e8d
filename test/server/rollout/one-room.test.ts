import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

// What Deployments call the same is theirs: only names that nothing but a rollout's policy and state has.
const FIELDS = [
  'requiredSoakTime',
  'progressDeadlineAbort',
  'autoPromotionEnabled',
  'abortScaleDownDelaySeconds',
  'scaleDownDelaySeconds',
  'consecutiveErrorLimit',
  'allowSelf',
  'atPercent',
  'rejectedRevision',
  'reachedPercent',
  'control-status',
];
const READS = [/(?:read\w+|get\w*)\([^()]*'(?:spec|status)', 'control'/, /(?:spec|status)\??\.control\b(?!\.(?:phase|message)\b)/];
// Compares definitions field by field, and reads none of them.
const DEFINITIONS = 'server/installation/';
// Plays the admission policies of deploy/, which see objects and can ask no room.
const ADMISSION = 'server/embedded/rights/engine-kinds.ts';
// Texts that a person starts a manifest from, which the console shows and does not read.
const TEMPLATES = 'lib/words/catalogue/delivery/manifests.ts';

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

// Phase and message are what status.control says to everybody, kubectl among them.
it('[design 14] no room but rollout reads a field of the policy or of status.control', () => {
  const others = ['app', 'components', 'lib', 'server']
    .flatMap(sources)
    .filter((file) => !['server/rollout/', DEFINITIONS, ADMISSION, TEMPLATES].some((home) => file.startsWith(home)));
  const found = others.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replace(/^ *(?:\/\/|\*|\/\*).*$/gm, '');
    const fields = FIELDS.filter((field) => new RegExp(`\\b${field}\\b`).test(text));
    const reads = READS.filter((pattern) => pattern.test(text)).map(String);
    return [...fields, ...reads].map((what) => `${file}: ${what}`);
  });
  expect(found).toEqual([]);
});
