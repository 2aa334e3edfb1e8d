// Writes what is made from code: docs/configuration.md, docs/rollout-states.md, spec.control in the definition of RolloutOrchestrator. With --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'tsx/esm/api';

register();
const { describeSettings } = await import('../server/platform/config/describe-settings.ts');
const { controlPolicy } = await import('../server/rollout/policy/control-policy.ts');
const { reduce } = await import('../server/rollout/control/reduce.ts');
const { controlState } = await import('../server/rollout/control/state.ts');
const { withPolicy } = await import('./policy-crd.mjs');
const { describeStates } = await import('./rollout-states.mjs');
const DEFINITION = 'deploy/crds/rolloutorchestrators.yaml';
const pages = [
  ['docs/configuration.md', describeSettings()],
  ['docs/rollout-states.md', describeStates(reduce, controlState)],
  [DEFINITION, withPolicy(readFileSync(DEFINITION, 'utf8'), controlPolicy)],
];
let stale = 0;
for (const [file, text] of pages) {
  let found = '';
  try {
    found = readFileSync(file, 'utf8');
  } catch {
    // A page that does not exist yet is out of date.
  }
  if (found === text) continue;
  stale++;
  if (process.argv.includes('--check')) console.error(`${file} is out of date; run node scripts/write-docs.mjs`);
  else writeFileSync(file, text);
}
process.exitCode = process.argv.includes('--check') && stale > 0 ? 1 : 0;
