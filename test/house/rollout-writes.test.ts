import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import type { NotedWrite } from '../support/noted-writes';
import { countOf, notingWrites } from '../support/noted-writes';

const STAGES = 5;
/** Everything that the engines write for one change of an application of 20 replicas; another controller of canaries writes 73 for it. */
const MAX_WRITES = 55;
/** Passes over it: each stage has six or seven, of which two write. */
const MAX_PASSES = 7 * STAGES;

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  const isTarget = readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload;
  return (
    isTarget &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

interface Cost {
  readonly noted: readonly NotedWrite[];
  /** How many passes began, by their controllers. */
  readonly passes: Readonly<Record<string, number>>;
}

/** One application of 20 replicas goes through five stages without a gate; answers what the engines wrote for the second revision. */
async function oneRollout(start: string): Promise<Cost> {
  const noted: NotedWrite[] = [];
  await using house = await startHouse({ through: (cluster) => notingWrites(cluster, noted) });
  const shop = { replicas: 20, ratio: 100 / STAGES, annotations: { 'sim.slipway.dev/start': start } };
  await house.apply(aStorefront(shop));
  await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'));
  await house.advance(30_000);
  noted.length = 0;
  const before = house.passes();
  await house.apply(aStorefront({ ...shop, image: 'registry.example.com/web:2' }));
  await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'));
  await house.until('the first revision is gone', async () => (await house.get(KINDS.deployment, 'web-v1')) === undefined);
  await house.advance(60_000);
  const passes = Object.fromEntries(Object.entries(house.passes()).map(([name, count]) => [name, count - (before[name] ?? 0)]));
  return { noted, passes };
}

it('[issue 13] one rollout of an application costs a named number of writes, each of which changes something, and no conflict', async () => {
  const { noted, passes } = await oneRollout('200ms');
  const counts = countOf(noted);
  expect(noted.filter(({ code }) => code !== 200)).toEqual([]);
  expect(noted.length, JSON.stringify(counts)).toBeLessThanOrEqual(MAX_WRITES);
  // A stage is begun and reached; the rollout is asked for once.
  expect(counts['update RolloutOrchestrator'], 'specs of the rollout').toBe(STAGES + 1);
  expect(counts['update RolloutOrchestrator/status'], 'statuses of the rollout').toBeLessThanOrEqual(2 * STAGES + 1);
  // Each side once a stage; the new one is made with the bounds of its first.
  expect(counts['patch StagePodAutoscaler'], 'bounds').toBe(2 * STAGES - 1);
  expect(counts['patch Deployment/scale'], 'replicas').toBe(2 * STAGES);
  expect(counts['patch StagePodAutoscaler/status'], 'statuses of the StagePodAutoscalers').toBeLessThanOrEqual(4);
  expect(counts['update Application/status'], 'statuses of the application').toBeLessThanOrEqual(3);
  expect(passes.rollout, 'passes over the rollout').toBeLessThanOrEqual(MAX_PASSES);
  // It begins, is through, and is cleaned up; each of its writes is looked at once more.
  expect(passes.application, 'passes over the application').toBeLessThanOrEqual(6);
});

it('[issue 13] pods that take long to start cost no more than the counts that stand still meanwhile', async () => {
  const { noted, passes } = await oneRollout('20s');
  const counts = countOf(noted);
  // Beside what one of pods that start at once has: one for what each stage ended with, of a stage that takes so long.
  expect(counts['patch StagePodAutoscaler/status'], JSON.stringify(counts)).toBeLessThanOrEqual(STAGES + 2);
  expect(counts['update Application/status'], JSON.stringify(counts)).toBeLessThanOrEqual(3);
  expect(counts['update RolloutOrchestrator/status'], JSON.stringify(counts)).toBeLessThanOrEqual(3 * STAGES);
  expect(passes.rollout, JSON.stringify(passes)).toBeLessThanOrEqual(MAX_PASSES);
  // Once a stage for counts beside those.
  expect(passes.application, JSON.stringify(passes)).toBeLessThanOrEqual(6 + 2 * STAGES);
});
