import { expect, it } from 'vitest';
import { Interrupted } from '@/server/chartsync/process/interrupted';
import type { Left } from './interrupted-attempt-rig';
import { attemptOf, attemptTold, playing } from './interrupted-attempt-rig';

const ROLLBACK = { enable: true, retry: false };
const TEST = { enable: true };
const GOING = { phase: 'RollingBack', lastAttemptedRevision: 'c1' };
/** An upgrade failed. */
const UPGRADE_FAILED = { status: { ...GOING, conditions: { Deployed: 'False', Released: 'False', RolledBack: 'Unknown' } } };
const OVER_FAILED: Left['stored'] = [
  [1, 'superseded', 1],
  [2, 'deployed', 2],
  [3, 'failed'],
];
/** Its test failed. */
const TEST_FAILED = { status: { ...GOING, conditions: { Deployed: 'True', Tested: 'False', Released: 'False', RolledBack: 'Unknown' } } };
const OVER_UNTESTED: Left['stored'] = [
  [1, 'superseded', 1],
  [2, 'superseded', 2],
  [3, 'deployed'],
];
const UNLOCKED: Left['stored'] = [...OVER_FAILED.slice(0, 2), [3, 'failed', 3, 'Preparing upgrade']];
const TEST_FAULT: Left['faults'] = [{ on: 'test', error: 'pod ledger-test failed' }];

const rollsBack = { rollback: ROLLBACK };
const testsAndRollsBack = { rollback: ROLLBACK, test: TEST };

const NEVER_TOLD = 'the upgrade failed after the server that started it had stopped';

it.each<[string, Left, string, string]>([
  ['an upgrade that failed', { ...UPGRADE_FAILED, stored: OVER_FAILED, spec: rollsBack }, 'X-RB-1', ''],
  ['a test that failed', { ...TEST_FAILED, stored: OVER_UNTESTED, spec: testsAndRollsBack }, 'X-TEST-1', ''],
  ['an upgrade that failed once its server had ended', { stored: OVER_FAILED, spec: rollsBack }, 'X-RB-1', NEVER_TOLD],
])('[X-RB-1, X-TEST-1] the next server goes back from %s, where Helm had not begun to', async (_what, left, rule, error) => {
  const { harness, done, status, conditions } = await playing(left);
  await harness.play({ do: 'tick' });
  expect(harness.actions).toMatchObject([{ do: 'export' }, { do: 'rollback', to: 2 }, { do: 'annotate' }]);
  expect([status('phase'), status('rollbackCount'), status('lastAttempt', 'after')]).toEqual(['RolledBack', 1, undefined]);
  expect(conditions()).toEqual(expect.arrayContaining(['RolledBack True', 'Released False']));
  const failed = { outcome: 'failed', rule, error, revision: 'c1' };
  expect(harness.reports).toMatchObject([failed, { outcome: 'remediated', rule, error }]);
  // What failed is not tried again (X-RB-2).
  await harness.play({ do: 'tick' });
  expect([done(), status('phase')]).toEqual([['rollback', 'dryRun'], 'RolledBack']);
});

it('[X-SYNC-3] a generation that came after what Helm was to go back from is attempted once it has gone back', async () => {
  const { harness, done, status } = await playing({ ...UPGRADE_FAILED, attempt: attemptOf(1, 2), stored: OVER_FAILED, spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([done(), status('observedGeneration')]).toEqual([['rollback'], 1]);
  await harness.play({ do: 'tick' });
  expect([done(), status('phase')]).toEqual([['rollback', 'upgrade'], 'Succeeded']);
});

it('[X-RB-1] a generation and a commit that came after what Helm was to go back from are not told as what failed', async () => {
  const status = { ...UPGRADE_FAILED.status, observedGeneration: 2, lastAttemptedRevision: 'c0' };
  const { harness, ...now } = await playing({ status, attempt: attemptOf(1, 2), stored: OVER_FAILED, spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([harness.reports[0]?.revision, now.status('observedGeneration')]).toEqual(['c0', 2]);
});

it('[X-RB-1] what is left of a rollback is not taken for one of the next attempt', async () => {
  const takes = async () => {
    throw new Interrupted('the server stops');
  };
  const { harness, status, conditions } = await playing({ ...UPGRADE_FAILED, generation: 3, stored: OVER_FAILED }, { takes });
  await harness.play({ do: 'tick' });
  expect([status('phase'), status('lastAttempt')]).toEqual([
    'Upgrading',
    { generation: 3, after: 3, found: { release: 'pay/pay-ledger', after: 3, action: 'upgrade', deployed: 2 } },
  ]);
  expect(conditions().filter((one) => one.startsWith('RolledBack'))).toEqual([]);
});

it.each<[string, Left]>([
  ['where its policy does not say so', { ...UPGRADE_FAILED, stored: OVER_FAILED }],
  ['where its policy does not say so, and nobody told that it failed', { stored: OVER_FAILED }],
  ['where another hand stored what failed', { stored: [...OVER_FAILED.slice(0, 2), [3, 'failed', 7]], spec: rollsBack }],
  ['from what a person unlocked', { stored: UNLOCKED, spec: rollsBack }],
  ['from what a person unlocked, also where it was about to', { ...UPGRADE_FAILED, stored: UNLOCKED, spec: rollsBack }],
  [
    'where nothing was deployed before',
    { ...UPGRADE_FAILED, stored: OVER_FAILED, spec: rollsBack, attempt: attemptOf(2, 2, { deployed: null }) },
  ],
  [
    'where an older server did not write what was deployed before',
    { stored: OVER_FAILED, spec: rollsBack, attempt: { lastAttempt: { generation: 2, after: 2 } } },
  ],
  ['where another hand stored more since', { stored: [...OVER_FAILED, [4, 'failed']], spec: rollsBack }],
  ['from what was told', { stored: OVER_FAILED, spec: rollsBack, attempt: attemptTold(2), status: { phase: 'Failed' } }],
])('[X-RB-1] Helm does not go back %s', async (_where, left) => {
  const { harness, done, status } = await playing(left);
  await harness.play({ do: 'tick' });
  expect([done(), status('phase')]).toEqual([[], 'Failed']);
});

it.each([
  [3, 'pending-upgrade'],
  [4, 'pending-rollback'],
] as const)('[X-PEND-1] Helm does not go back, nor is told to have failed to, while revision %s is %s', async (revision, state) => {
  const stored: Left['stored'] = [...OVER_FAILED.slice(0, revision - 1), [revision, state]];
  const { harness, done, status, conditions } = await playing({ ...UPGRADE_FAILED, stored, spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([done(), status('phase')]).toEqual([[], 'Failed']);
  expect(conditions()).toContain('RolledBack Unknown');
});

it('[X-RB-4] a rollback that failed once its server had ended is told as that, and not tried again', async () => {
  const stored: Left['stored'] = [
    ...OVER_FAILED.slice(0, 2),
    [3, 'superseded'],
    [4, 'failed', 2, 'Rollback "pay-ledger" failed: a hook failed'],
  ];
  const { harness, done, conditions } = await playing({ ...UPGRADE_FAILED, stored, spec: rollsBack });
  for (const _ of [1, 2]) await harness.play({ do: 'tick' });
  expect([done(), conditions()]).toEqual([[], expect.arrayContaining(['RolledBack False', 'Released False'])]);
});

it('[X-RB-4] what another hand stored as failed after a rollback that never began is not told as that', async () => {
  const stored: Left['stored'] = [...OVER_FAILED, [4, 'failed', 7]];
  const { harness, done, conditions } = await playing({ ...UPGRADE_FAILED, stored, spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([done(), conditions()]).toEqual([[], expect.not.arrayContaining(['RolledBack False'])]);
});

it('[X-RB-1] what a person released by hand meanwhile is not told as a rollback of the engine, and compared', async () => {
  const { harness, done, status } = await playing({ ...UPGRADE_FAILED, stored: [...OVER_FAILED, [4, 'deployed', 7]], spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([harness.reports.map(({ outcome }) => outcome), done()]).toEqual([['upgraded'], ['dryRun', 'upgrade']]);
  expect(status('rollbackCount')).toBe(0);
});

it.each([
  ['it was of another release, which the resource named then', attemptOf(2, 2, { release: 'pay/books' })],
  ['an older server wrote only after which revision it came, beside what another attempt had found', attemptOf(2, 2, { after: 1 })],
])('[X-RB-1] what an attempt left is not gone back from where %s', async (_why, attempt) => {
  const { harness, done } = await playing({ ...UPGRADE_FAILED, stored: OVER_FAILED, spec: rollsBack, attempt });
  await harness.play({ do: 'tick' });
  expect(done()).not.toContain('rollback');
});

it('[X-RB-1] what a person rolled back meanwhile is not told as a rollback of the engine', async () => {
  const lastAct = { outcome: 'rolled-back', storedRevision: 4 };
  const status = { ...UPGRADE_FAILED.status, lastAct };
  const { harness, status: told } = await playing({
    status,
    stored: [...OVER_FAILED, [4, 'deployed', 2, 'Rollback to 2']],
    spec: rollsBack,
  });
  await harness.play({ do: 'tick' });
  expect(harness.reports.map(({ outcome }) => outcome)).toEqual(['upgraded']);
  expect(told('rollbackCount')).toBe(0);
});

it('[X-RB-1] a rollback that was told, but not in the status, is not told again', async () => {
  const lastAct = { outcome: 'remediated', storedRevision: 4 };
  const status = { ...UPGRADE_FAILED.status, lastAct };
  const { harness, ...now } = await playing({ status, stored: [...OVER_FAILED, [4, 'deployed', 2, 'Rollback to 2']], spec: rollsBack });
  await harness.play({ do: 'tick' });
  expect([now.status('phase'), harness.reports.map(({ outcome }) => outcome)]).toEqual(['RolledBack', ['equal']]);
});

it('[X-SYNC-3] a generation that a look went through without an attempt is attempted after the rollback, also where it renders the same', async () => {
  const status = { ...UPGRADE_FAILED.status, observedGeneration: 3 };
  const { harness, done } = await playing({ status, generation: 3, stored: OVER_FAILED, spec: { ...rollsBack, timeout: 600 } });
  for (const _ of [1, 2, 3]) await harness.play({ do: 'tick' });
  expect(done().filter((act) => act !== 'dryRun')).toEqual(['rollback', 'upgrade']);
});

it('[X-RB-1] a rollback that is ended with its server again is left to the next one', async () => {
  const takes = async () => {
    throw new Interrupted('the server stops');
  };
  const { harness, status } = await playing({ ...UPGRADE_FAILED, stored: OVER_FAILED, spec: rollsBack }, { takes });
  await harness.play({ do: 'tick' });
  expect([status('phase'), status('rollbackCount'), status('lastAttempt', 'after')]).toEqual(['RollingBack', undefined, 2]);
  expect(harness.reports).toEqual([]);
});

const TESTING: Left = { status: { phase: 'Testing', lastAttemptedRevision: 'c1', conditions: { Deployed: 'True', Tested: 'Unknown' } } };
const TOLD: Left = { status: { ...TESTING.status, lastAct: { outcome: 'upgraded', storedRevision: 3 } }, faults: TEST_FAULT };
const UNDEPLOYED: Left = { ...TESTING, faults: TEST_FAULT, attempt: attemptOf(2, 2, { deployed: null }) };
const SKIPPED: Left = {
  ...TESTING,
  faults: TEST_FAULT,
  stored: [...OVER_UNTESTED.slice(0, 2), [3, 'superseded', 7], [4, 'failed', 2], [5, 'deployed']],
  attempt: attemptOf(2, 4, { deployed: 2 }),
};
const CANCELLED: Left = { status: { ...TESTING.status, cancelled: { revision: 'c1', generation: 2, message: 'ada cancelled it' } } };
const AFTER_ANOTHER: Left = {
  status: {
    phase: 'Testing',
    lastAttemptedRevision: 'c1',
    rollbackCount: 1,
    conditions: { Deployed: 'True', Tested: 'Unknown', RolledBack: 'True' },
  },
};
const BEFORE_TEST: Left = { status: { phase: 'Upgrading', lastAttemptedRevision: 'c1' } };

it.each<[string, Left, readonly string[], string]>([
  ['passes them', TESTING, ['dryRun', 'test'], 'Succeeded'],
  ['passes them, also where they had not begun', BEFORE_TEST, ['dryRun', 'test'], 'Succeeded'],
  ['does not pass them, and is gone back from', { ...TESTING, faults: TEST_FAULT }, ['dryRun', 'test', 'rollback'], 'RolledBack'],
  ['passes them, also where another had been gone back from before', AFTER_ANOTHER, ['dryRun', 'test'], 'Succeeded'],
  ['passed them, which was told, but not in the status', TOLD, ['dryRun'], 'Succeeded'],
  [
    'passed them, which was told, but not in the status, also where another had been gone back from before',
    { status: { ...TOLD.status, ...AFTER_ANOTHER.status } },
    ['dryRun'],
    'Succeeded',
  ],
  [
    'was upgraded by an older server, which did not write how',
    { ...TESTING, attempt: { lastAttempt: { generation: 2, after: 2 } } },
    ['dryRun'],
    'Succeeded',
  ],
  ['does not pass them, with nothing deployed before', UNDEPLOYED, ['dryRun', 'test'], 'TestFailed'],
  [
    'does not pass them, and goes back to what was deployed, not to what a rollback superseded',
    SKIPPED,
    ['dryRun', 'test', 'rollback'],
    'RolledBack',
  ],
  ['is not tested where a person cancelled that', CANCELLED, ['dryRun', 'rollback'], 'RolledBack'],
  ['wants none by now', { ...TESTING, spec: rollsBack }, ['dryRun'], 'Succeeded'],
  [
    'does not pass them, and is the first',
    { ...TESTING, faults: TEST_FAULT, stored: [[1, 'deployed']], attempt: attemptOf(2, 0) },
    ['dryRun', 'test', 'uninstall'],
    'TestFailed',
  ],
  [
    'does not pass them, and was installed over what an uninstall kept',
    {
      ...BEFORE_TEST,
      faults: TEST_FAULT,
      stored: [
        [2, 'superseded'],
        [3, 'deployed'],
      ],
      attempt: attemptOf(2, 2, { action: 'install', deployed: null }),
    },
    ['dryRun', 'test', 'uninstall'],
    'TestFailed',
  ],
])('[X-TEST-1] what was released when its server was killed before its tests had run %s', async (_how, left, acts, phase) => {
  const { harness, done, status, conditions } = await playing({ spec: testsAndRollsBack, stored: OVER_UNTESTED, ...left });
  await harness.play({ do: 'tick' });
  expect([done(), status('phase'), status('lastAttempt', 'after')]).toEqual([acts, phase, undefined]);
  expect(conditions()).toEqual(expect.arrayContaining(['Deployed True', phase === 'Succeeded' ? 'Released True' : 'Released False']));
  if (acts.includes('rollback')) expect(harness.actions).toContainEqual(expect.objectContaining({ do: 'rollback', to: 2 }));
  if (phase !== 'Succeeded') return;
  await harness.play({ do: 'tick' });
  expect(done().filter((act) => act === 'test')).toHaveLength(acts.includes('test') ? 1 : 0);
});

it('[X-OWN-3] what was released when its server was killed before it was marked is marked', async () => {
  const { harness } = await playing({ stored: OVER_UNTESTED, isMarked: false });
  await harness.play({ do: 'tick' });
  expect(harness.actions.map(({ do: act }) => act)).toEqual(['export', 'dryRun', 'annotate']);
});
