import type { ReleaseMessage } from './release-message';

type Rested = Extract<ReleaseMessage, { readonly id: 'upgrade.none-due' }>['outcome'];

const NOTHING_STORED = 'no stored revision: install';
/** What a comparison came to where nothing was released. */
const RESTED: Readonly<Record<Rested, string>> = {
  equal: 'a dry run found no difference from the stored revision: nothing to do',
  unmoved: 'nothing changed since the last dry run without a difference: nothing to do',
};

/** By rule of spec/chartsync: what was compared, and what that decided. */
const COMPARED: Readonly<Record<string, string>> = {
  'R-1A-1': NOTHING_STORED,
  'R-1A-2': 'the stored revision could not be read, which counts as none: install',
  'R-1A-3': 'the newest stored revision is not deployed: install, which Helm refuses if the name is in use',
  'R-1B-2': 'a dry run found different values: upgrade',
  'R-1B-3': 'a dry run found a different chart: upgrade',
  'R-1B-6': 'the dry run failed, so it is not known whether anything differs: nothing to do',
  'R-2-2': 'commits touched its chart: upgrade without a comparison',
  'X-SYNC-1': NOTHING_STORED,
  'X-SYNC-2': 'the newest stored revision is uninstalled, with its history kept: install over that',
  'X-SYNC-3': 'the spec changed since the last attempt: upgrade without a comparison',
  'X-SYNC-4': 'the chart changed since the last attempt: upgrade without a comparison',
  'X-SYNC-5': 'a dry run found different values or a different chart: upgrade',
  'X-INST-1': 'the first install was interrupted and failed: remove what it left, then install',
  'X-OWN-1': 'another resource owns its objects: stop',
  'X-PEND-1': 'the newest stored revision is neither deployed nor failed: stop, since nothing can be released over it',
  'X-FAIL-1': 'the last attempt failed, and neither spec, chart nor values changed since: stop',
  'X-FAIL-2': 'the last attempt failed, and spec, chart or values changed since: upgrade',
  'X-RB-1': 'the attempt failed, and spec.rollback.enable is set: roll back to what was deployed before',
  'X-TEST-1': 'the test failed, and spec.rollback.enable is set: roll back to what was deployed before',
  'X-RB-2': 'it was rolled back, and a dry run differs from the revision that failed: upgrade',
  'X-RB-3': 'it was rolled back, and the chart changed since: upgrade',
  'X-RETRY-1': 'it was rolled back, and spec.rollback.retry lets it try again: upgrade',
};

/** What came of a look that no rule of the comparison decided. */
const KEPT: Readonly<Record<string, string>> = {
  held: 'held by a person: not compared',
  gated: 'its commits need approval: what is not approved is not released',
  'put-back': 'live objects differed from the release: reverted',
  waits: 'not compared, since it waits: nothing to do',
  'plan-moved': 'the plan has changed since the preview: nothing was run',
  dropped: 'the resource changed during the comparison: it is reconciled again',
};

/** After a rollback what would be is compared with what failed, and these rules say otherwise what the same outcome means. */
const AFTER_ROLLBACK = 'it was rolled back, and its chart still renders the revision that failed: not retried';
const FAILED = 'the dry run failed, or the upgrade that it decided, or the test after that';

/** Why a comparison had its outcome; null where the outcome says everything. */
export function formatReconcile({ rule, outcome }: { readonly rule: string | null; readonly outcome: string }): string | null {
  if (outcome === 'equal' || outcome === 'unmoved') return rule === 'X-RB-2' ? AFTER_ROLLBACK : RESTED[outcome];
  if (outcome === 'dropped' || outcome === 'plan-moved' || outcome === 'waits' || outcome === 'put-back' || rule === null)
    return KEPT[outcome] ?? null;
  if (outcome === 'failed' && (rule === 'X-SYNC-5' || rule === 'X-RB-2')) return FAILED;
  return COMPARED[rule] ?? null;
}

/** What an act came to, in words. */
export function formatOutcome(outcome: string): string {
  if (outcome === 'remediated') return 'rolled back after a failure';
  return outcome === 'put-back' ? 'reverted' : outcome.replaceAll('-', ' ');
}
