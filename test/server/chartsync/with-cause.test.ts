import { expect, it } from 'vitest';
import { formatRelease } from '@/lib/words/format-release';
import { withCause } from '@/server/chartsync/sync/decide-sync';
import { lastAttemptOf } from '@/server/chartsync/sync/status/last-attempt';

const RELEASE = { namespace: 'pay', name: 'ledger' };

const CANCELLED = formatRelease({ id: 'act.cancelled', by: 'ada' });
const STOPPED = 'Upgrade "ledger" failed: context canceled';

it.each<[string, string | undefined, string | undefined, string, string?]>([
  ['what the status tells of it', 'timed out', STOPPED, '; the last attempt failed: timed out'],
  ['who cancelled it, and not that a sync would retry it', CANCELLED, STOPPED, '; the last attempt failed: ada cancelled it'],
  [
    'who cancelled it, as it was written before',
    'ada cancelled it; it is not retried until something changes or someone syncs it',
    STOPPED,
    '; the last attempt failed: ada cancelled it',
  ],
  [
    'that Helm was stopped, where whoever did could not write it',
    undefined,
    STOPPED,
    '; the last attempt failed: Helm was stopped before it finished, as happens when its server stops or loses the Lease',
  ],
  [
    'who cancelled it, where an earlier process had begun it and no condition tells so',
    undefined,
    STOPPED,
    '; the last attempt failed: ada cancelled it',
    CANCELLED,
  ],
  ['nothing of what Helm stored otherwise, which may have values', undefined, 'Upgrade "ledger" failed: bad password s3cret', ''],
  ['nothing where Helm stored nothing', undefined, undefined, ''],
])('[issue 12.3] a release that stays failed tells %s', (_what, message, description, said, cancelled) => {
  const deployed = { type: 'Deployed', status: message === undefined ? 'Unknown' : 'False', reason: 'R', message: message ?? '' };
  const last = lastAttemptOf({ conditions: [deployed] }, RELEASE, undefined);
  const newest = description === undefined ? {} : { description };
  expect(withCause('no safe upgrade', { last, newest, cancelled: cancelled === undefined ? undefined : { message: cancelled } })).toBe(
    `no safe upgrade until its spec, values or chart change${said}`,
  );
});

it.each([
  ['told', 'it was told as an act', '2026-11-30T18:00:05Z'],
  ['told', 'it was told as an act, by a clock that is half a minute behind', '2026-11-30T17:59:30Z'],
  ['first', 'an act of that number was told before what Helm stores was removed', '2026-11-29T18:00:00Z'],
])('[X-INST-1] a first install that failed without its server is %s, where %s', (left, _why, at) => {
  const status = { lastAttempt: { after: 0 }, lastAct: { outcome: 'installed', storedRevision: 1, at } };
  const newest = { revision: 1, status: 'failed', storedAt: '2026-11-30T18:00:00Z' } as const;
  expect(lastAttemptOf(status, RELEASE, newest).left).toBe(left);
});

it.each([
  ['how its test failed', 'True', 'False', 'the test failed'],
  ['nothing of the test of an earlier attempt, while nobody knows how this one went', 'Unknown', 'False', undefined],
  ['how it failed itself, and not the test of an earlier attempt', 'False', 'False', 'timed out'],
  ['nothing where its test passed', 'True', 'True', undefined],
])('[issue 12.3] why an attempt failed tells %s', (_what, deployed, tested, said) => {
  const conditions = [
    { type: 'Tested', status: tested, message: 'the test failed' },
    { type: 'Deployed', status: deployed, message: 'timed out' },
  ];
  expect(lastAttemptOf({ conditions }, RELEASE, undefined).failure).toBe(said);
});
