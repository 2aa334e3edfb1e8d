import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Random } from '@/server/platform';
import { createRandom } from '@/server/platform';
import { aStorefront } from '../support/applications';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';

const HELD = 'test.slipway.dev/held';
const LONGEST_MS = 4000;

/** What the watch of pods told, at every change of one. */
interface Sampled {
  leastReady: number;
  /** The most that were not being deleted, and the most in all. */
  mostLive: number;
  most: number;
}

export interface OverlapRun {
  readonly replicas: number;
  readonly ratio: number;
  readonly overlap: boolean;
  /** By what pods take as long as they like to start and to go; as long as the cluster takes when absent. */
  readonly seed?: number;
}

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  const isTarget = readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload;
  return (
    isTarget &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

/** Has each pod start after a time of its own, and go after another. */
async function dally(house: House, pod: KubeObject, random: Random): Promise<void> {
  const start = `${Math.round(random() * LONGEST_MS)}ms`;
  const body = { metadata: { annotations: { 'sim.slipway.dev/start': start }, finalizers: [HELD] } };
  await house.cluster.patch(toAddress(pod), { type: 'merge', body });
}

function letGo(house: House, pod: KubeObject, random: Random): void {
  house.clock.schedule(random() * LONGEST_MS, () => {
    void house.cluster.patch(toAddress(pod), { type: 'merge', body: { metadata: { finalizers: null } } });
  });
}

const isReady = (pod: KubeObject) => getCondition(pod, 'Ready')?.status === 'True';
const isGoing = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined;

/** Replaces every pod of an application, and answers what there was of them on the way. */
async function replaceAll(house: House, { replicas, ratio, overlap, seed }: OverlapRun): Promise<Sampled> {
  const { store } = house.informers.open(KINDS.pod);
  const random = seed === undefined ? undefined : createRandom(seed);
  const sampled: Sampled = { leastReady: Number.POSITIVE_INFINITY, mostLive: 0, most: 0 };
  let isSampling = false;
  store.subscribe(({ before, after }) => {
    if (random !== undefined && after?.metadata.namespace === house.ns) {
      if (before === undefined && !isGoing(after)) void dally(house, after, random);
      if (isGoing(after) && (before === undefined || !isGoing(before))) letGo(house, after, random);
    }
    if (!isSampling) return;
    const pods = store.list(house.ns);
    const live = pods.filter((pod) => !isGoing(pod));
    sampled.leastReady = Math.min(sampled.leastReady, live.filter(isReady).length);
    sampled.mostLive = Math.max(sampled.mostLive, live.length);
    sampled.most = Math.max(sampled.most, pods.length);
  });
  const shop = (image: string) => withOverlap(aStorefront({ replicas, ratio, image: `registry.example.com/${image}` }), overlap);
  await house.apply(shop('web:1'));
  await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'));
  isSampling = true;
  await house.apply(shop('web:2'));
  await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'));
  isSampling = false;
  return sampled;
}

/** True is what holds without a word. */
export function withOverlap(application: KubeObject, overlap: boolean): KubeObject {
  if (overlap) return application;
  const spec = structuredClone(application.spec) as { policies: { properties: object }[] };
  for (const policy of readList(spec, 'policies') as typeof spec.policies) policy.properties = { ...policy.properties, overlap };
  return { ...application, spec };
}

/** Floor and ceiling of the pods, at every change that a watch tells. */
export function defineOverlapHouse(clusterKind: ClusterKind, runs: readonly OverlapRun[]): void {
  it.each(runs)(
    '[issue 13] $replicas replicas, ratio $ratio, overlap $overlap, seed $seed: never fewer ready pods, nor more that stay, than promised',
    async (run) => {
      await using house = await startHouse({ clusterKind });
      const { leastReady, mostLive, most } = await replaceAll(house, run);
      const ceiling = Math.floor(run.replicas * (1 + run.ratio / 100)) + 1;
      expect(leastReady).toBeGreaterThanOrEqual(run.replicas);
      expect(mostLive).toBeLessThanOrEqual(ceiling);
      // Without overlap those that are being deleted are gone before others come.
      if (!run.overlap) expect(most).toBeLessThanOrEqual(ceiling);
    },
  );
}
