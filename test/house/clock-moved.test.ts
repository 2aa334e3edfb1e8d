import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { ManualClock } from '../support/manual-clock';
import { isWaitingAt } from '../support/told';

const HOUR_MS = 3_600_000;
const LIMIT_MS = 3 * 60_000;
const SECOND = 'registry.example.com/web:2';

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload && getCondition(rollout, 'Ready')?.status === 'True'
  );
}

/** An upgrade whose first stage waits for people, or goes on by itself. */
async function upgrade(gates: 'every-stage' | 'none'): Promise<{ readonly house: House; readonly leap: (ms: number) => void }> {
  const house = await startHouse();
  const { clock } = house;
  if (!(clock instanceof ManualClock)) throw new Error('the embedded house has a clock that tests move');
  await house.apply(aStorefront({ gates, annotations: { 'sim.slipway.dev/start': '10s' } }));
  await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), LIMIT_MS);
  await house.apply(aStorefront({ gates, annotations: { 'sim.slipway.dev/start': '10s' }, image: SECOND }));
  return { house, leap: (ms) => clock.leap(ms) };
}

async function expectOnlySecond(house: House): Promise<void> {
  await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), LIMIT_MS);
  const names = async () => (await house.list(KINDS.deployment)).map(({ metadata }) => metadata.name).join();
  await house.until('the first revision is collected', async () => (await names()) === 'web-v2', LIMIT_MS);
  await house.until('web-v2 has 4 pods ready', async () => (await house.ready('web-v2')) === 4);
  expect((await house.list(KINDS.applicationRevision)).map(({ metadata }) => metadata.name).sort()).toEqual(['web-v1', 'web-v2']);
}

describe('a clock that is set an hour forward and back while something is rolled out', () => {
  it('[issue 10.6] opens no gate that waits for people, and takes their approval as before', async () => {
    const { house, leap } = await upgrade('every-stage');
    await using _house = house;
    await house.until('stage 1 waits', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1), LIMIT_MS);
    for (const ms of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
      leap(ms);
      await house.advance(60_000);
      expect(isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1)).toBe(true);
      expect([await house.ready('web-v1'), await house.ready('web-v2')]).toEqual([2, 2]);
    }
    leap(-HOUR_MS);
    expect(readString(await decide(house, 'web', 'approve', { stage: 1 }), 'status', 'phase')).toBe('Accepted');
    await expectOnlySecond(house);
  });

  it.each([
    ['forward', [HOUR_MS]],
    ['back', [-HOUR_MS]],
    ['forward and back', [HOUR_MS, -HOUR_MS]],
  ] as const)('[issue 10.6] neither stops nor gives up a stage that is under way: %s', async (_how, leaps) => {
    const { house, leap } = await upgrade('none');
    await using _house = house;
    await house.until(
      'v2 has its first pods',
      async () => (await house.list(KINDS.pod)).some(({ metadata }) => metadata.name?.startsWith('web-v2')),
      LIMIT_MS,
    );
    for (const ms of leaps) {
      leap(ms);
      await house.advance(1000);
    }
    await expectOnlySecond(house);
  });
});
