import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import type { ReleaseObservation } from '@/server/chartsync/describe/description';
import type { Reconcile } from '@/server/chartsync/describe/reconcile-history';
import { commitOf, isOnlyAttempted, revisionOf } from '@/server/chartsync/describe/released-at';
import { readReleased } from '@/server/chartsync/gate/released-commit';
import { readDeclared } from '@/server/chartsync/model/declared';

const [RELEASED, NEXT] = ['a'.repeat(40), 'b'.repeat(40)];
const COMMIT = { commit: 'c'.repeat(40), subject: 'two replicas', author: 'Ada', at: '2027-01-15T07:00:00Z' };
const at = toInstant(1_800_000_000_000);

function seenAfter(attempted: string, look: Pick<Reconcile, 'outcome' | 'revision'>): ReleaseObservation {
  const status = { lastAttemptedRevision: attempted, lastAct: { at: COMMIT.at, outcome: 'upgraded', revision: RELEASED, commit: COMMIT } };
  const spec = { chart: { git: 'https://git.example.com/charts.git', ref: 'main', path: 'charts/ledger' } };
  const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'ledger', generation: 1 }, spec, status });
  const reconciles = [{ at, since: at, times: 1, by: 'schedule', rule: undefined, error: 'no', ...look }];
  return { resource, reconciles, newest: undefined } as unknown as ReleaseObservation; // no more of it is asked for
}

it.each<[string, string, Pick<Reconcile, 'outcome' | 'revision'>, string, typeof COMMIT | null]>([
  ['a look that could not have the chart changes nothing', RELEASED, { outcome: 'failed', revision: undefined }, RELEASED, COMMIT],
  ['a look that failed with another commit is at that', NEXT, { outcome: 'failed', revision: NEXT }, NEXT, null],
  ['a look that could not have the chart after that one leaves it so', NEXT, { outcome: 'failed', revision: undefined }, NEXT, null],
  ['a look that found it as it should be is at what was released', RELEASED, { outcome: 'unmoved', revision: RELEASED }, RELEASED, COMMIT],
])('[issue 12.3] the commit that is told of a release: %s', (_title, attempted, look, revision, commit) => {
  const seen = seenAfter(attempted, look);
  expect([revisionOf(seen), commitOf(seen)]).toEqual([revision, commit]);
});

it.each<[string, number | null, string | undefined]>([
  ['the last act came to it', 2, RELEASED],
  ['the status does not say to which revision the last act came', null, RELEASED],
  ['somebody ran Helm since', 1, undefined],
])('[issue 12.3] the commit of a deployed revision of which Helm noted none: %s', async (_title, storedRevision, commit) => {
  const metadata = { namespace: 'pay', name: 'ledger' };
  const resource = readDeclared({ ...KINDS.helmRelease, metadata, status: { lastAct: { revision: RELEASED, storedRevision } } });
  const helm = {
    readHistory: async () => [{ revision: 2, status: 'deployed' as const }],
    readRevision: async () => ({ revision: 2, status: 'deployed' as const, description: 'Upgrade complete', chart: {}, values: {} }),
  };
  expect(await readReleased(resource, helm as never)).toEqual({ isDeployed: true, commit }); // it is asked for no more
});

const DEPLOYED = { revision: 4, status: 'deployed' } as const;
const LAST = { at: COMMIT.at, outcome: 'upgraded', revision: RELEASED, storedRevision: 4 };
it.each<[string, Pick<ReleaseObservation, 'newest' | 'revisions'>, object | null, string | null, boolean]>([
  ['what the last act came to is deployed', { newest: DEPLOYED, revisions: 4 }, LAST, NEXT, true],
  [
    'the attempt is the revision after the last act, and failed',
    { newest: { revision: 5, status: 'failed' }, revisions: 5 },
    LAST,
    NEXT,
    true,
  ],
  ['nothing is stored', { newest: undefined, revisions: 0 }, null, NEXT, true],
  ['its first install failed', { newest: { revision: 1, status: 'failed' }, revisions: 1 }, null, NEXT, true],
  ['the last act was at it', { newest: DEPLOYED, revisions: 4 }, { ...LAST, revision: NEXT }, NEXT, false],
  ['it is deployed and its test failed', { newest: { revision: 5, status: 'deployed' }, revisions: 5 }, LAST, NEXT, false],
  ['it was deployed, and a later attempt failed', { newest: { revision: 6, status: 'failed' }, revisions: 6 }, LAST, NEXT, false],
  ['it was taken over, so no act is told', { newest: DEPLOYED, revisions: 4 }, null, NEXT, false],
  ['nobody may look at what is stored', { newest: undefined, revisions: undefined }, LAST, NEXT, false],
  ['it was found equal since', { newest: DEPLOYED, revisions: 4 }, LAST, null, false],
])('[issue 12.3] whether a commit was attempted and is not released: %s', (_title, stored, lastAct, failed, isOnly) => {
  const status = { lastAttemptedRevision: NEXT, lastAct, failure: failed === null ? null : { message: 'no', revision: failed } };
  const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'ledger' }, status });
  expect(isOnlyAttempted({ resource, reconciles: [], ...stored } as unknown as ReleaseObservation)).toBe(isOnly); // no more of it is asked for
  const reconciles = [{ outcome: failed === null ? 'equal' : 'failed', revision: NEXT }];
  expect(isOnlyAttempted({ resource, reconciles, ...stored } as unknown as ReleaseObservation)).toBe(isOnly);
});

it.each<[string, boolean, readonly Pick<Reconcile, 'outcome' | 'revision'>[]]>([
  ['as this process found both', true, [{ outcome: 'failed', revision: NEXT }]],
  ['as another process found them', true, []],
  ['unless it was found as it should be in between', false, [{ outcome: 'equal', revision: NEXT }]],
])(
  '[issue 12.4] a revision that failed is told as attempted only, also once its repository cannot be fetched, %s',
  (_how, isOnly, before) => {
    const message = 'chart not ready: the repository is out';
    const [deployed, out] = [isOnly ? 'False' : 'True', { outcome: 'failed', revision: undefined } as const];
    const conditions = [{ type: 'Deployed', status: deployed, reason: 'R', message: 'a hook failed' }];
    const failure = { at: COMMIT.at, by: 'schedule', revision: null, message };
    const status = { phase: 'ChartFetchFailed', lastAttemptedRevision: NEXT, lastAct: LAST, failure, conditions };
    const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'ledger' }, status });
    const newest = { revision: 5, status: 'failed' } as const;
    const reconciles = [out, ...before].map((one) => ({
      at,
      since: at,
      times: 1,
      by: 'schedule',
      rule: undefined,
      error: message,
      ...one,
    }));
    // No more of it is asked for.
    for (const looks of before.length === 0 ? [reconciles, []] : [reconciles])
      expect(isOnlyAttempted({ resource, reconciles: looks, newest, revisions: 5 } as unknown as ReleaseObservation)).toBe(isOnly);
  },
);
