import type { ReleaseMessage } from './release-message';

type Rested = Extract<ReleaseMessage, { readonly id: 'upgrade.none-due' }>['outcome'];

const NOTHING_STORED = 'Helm had stored nothing of it: install';
/** What a comparison came to where nothing was released. */
const RESTED: Readonly<Record<Rested, string>> = {
  equal: 'a dry run gave the values and the chart that are stored: nothing to do',
  unmoved: 'nothing moved that the last equal dry run rested on: no dry run, nothing to do',
};

/** By rule of spec/chartsync: what was compared, and what that decided. */
const COMPARED: Readonly<Record<string, string>> = {
  'R-1A-1': NOTHING_STORED,
  'R-1A-2': 'what Helm stored could not be read, which counts as nothing: install',
  'R-1A-3': 'the newest stored revision is not deployed: install, which Helm refuses where the name is in use',
  'R-1B-2': 'a dry run gave other values than are stored: upgrade',
  'R-1B-3': 'a dry run gave another chart than is stored: upgrade',
  'R-1B-6': 'the dry run failed, so nobody can tell whether anything differs: nothing to do',
  'R-2-2': 'commits touched its chart: upgrade without a comparison',
  'X-SYNC-1': NOTHING_STORED,
  'X-SYNC-2': 'the newest stored revision is uninstalled, with its history kept: install over that',
  'X-SYNC-3': 'the spec changed since the last attempt: upgrade without a comparison',
  'X-SYNC-4': 'the chart changed since the last attempt: upgrade without a comparison',
  'X-SYNC-5': 'a dry run gave other values or another chart than are stored: upgrade',
  'X-OWN-1': 'another resource marked its objects: stop',
  'X-PEND-1': 'the newest stored revision is neither deployed nor failed: stop, since nothing can be released over it',
  'X-FAIL-1': 'the last attempt failed, and neither spec, chart nor values changed since: stop',
  'X-FAIL-2': 'the last attempt failed, and spec, chart or values changed since: upgrade',
  'X-RB-2': 'it was rolled back, and a dry run differs from the revision that failed: upgrade',
  'X-RB-3': 'it was rolled back, and the chart changed since: upgrade',
  'X-RETRY-1': 'it was rolled back, and spec.rollback.retry lets it try again: upgrade',
};

/** What came of a look that no rule of the comparison decided. */
const KEPT: Readonly<Record<string, string>> = {
  held: 'a person holds it: nothing was compared',
  gated: 'its commits want approval, and none is approved: nothing was compared',
  waits: 'what it depends on is not released: nothing was compared',
  'plan-moved': 'the change was previewed, and what it would do is another thing by now: nothing was run',
  dropped: 'the resource changed while it was compared: it is looked at again',
};

/** After a rollback what would be is compared with what failed, and these rules say otherwise what the same outcome means. */
const AFTER_ROLLBACK = 'it was rolled back, and its chart still gives what failed: not tried again';
const FAILED = 'it was to be compared by a dry run; that failed, or the upgrade that it decided';

/** Why a look came to what it came to; null where that says everything. */
export function sayLook({ rule, outcome }: { readonly rule: string | null; readonly outcome: string }): string | null {
  if (outcome === 'equal' || outcome === 'unmoved') return rule === 'X-RB-2' ? AFTER_ROLLBACK : RESTED[outcome];
  if (outcome === 'dropped' || outcome === 'plan-moved' || outcome === 'waits' || rule === null) return KEPT[outcome] ?? null;
  if (outcome === 'failed' && (rule === 'X-SYNC-5' || rule === 'X-RB-2')) return FAILED;
  return COMPARED[rule] ?? null;
}
