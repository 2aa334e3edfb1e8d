import { toInstant } from '@/lib/std/instant';
import { describeRollout, observeObjects } from '@/server/rollout';
import type { Figure } from './figure';
import { cpuTimed, median, repeated } from './measure';

const RUNS = 25;
const PER_RUN = 200;
const REVISIONS = 10;

/** What saying everything about a rollout costs: 50 stages ahead, 10 revisions, with the consequences of every verb. */
export async function benchRollout(): Promise<readonly Figure[]> {
  const now = toInstant(Date.UTC(2026, 0, 1));
  const observation = observeObjects(aLongRollout(), now);
  const stages = describeRollout(observation, now).stageCount;
  if (stages < 50) throw new Error(`the benchmark needs 50 stages, has ${stages}`);
  const run = () => {
    for (let turn = 0; turn < PER_RUN; turn++) describeRollout(observation, now);
  };
  await cpuTimed(run); // what is compiled on the way is not what is measured
  const ms = median(await repeated(RUNS, async () => (await cpuTimed(run)) / PER_RUN));
  return [
    {
      what: `processor time of describeRollout, ${stages} stages and ${REVISIONS} revisions`,
      value: ms,
      unit: 'ms',
      limit: { of: 'value', atMost: 1 },
    },
  ];
}

function aLongRollout() {
  const olds = Array.from({ length: REVISIONS - 1 }, (_, at) => ({
    revisionName: `web-v${at + 1}`,
    percent: at === 0 ? 20 : 10,
    minScale: 10,
    maxScale: 10,
  }));
  const target = { revisionName: `web-v${REVISIONS}`, percent: 100, minScale: 60, maxScale: 60, latestRevision: true };
  const workload = (name: string, replicas: number) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop', generation: 1 },
    spec: { replicas },
    status: {
      observedGeneration: 1,
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [{ type: 'Available', status: 'True' }],
    },
  });
  return {
    rollout: {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'RolloutOrchestrator',
      metadata: { name: 'web', namespace: 'shop', uid: 'ro-1', generation: 1 },
      spec: {
        initialRevisions: olds,
        targetRevisions: [target],
        rolloutStrategy: 'availability',
        overConsumptionRatio: 1,
        control: { gates: 'every-stage', autoPromotionEnabled: false },
      },
    },
    autoscalers: [],
    workloads: [...olds.map(({ revisionName }) => workload(revisionName, 10)), workload(target.revisionName, 0)],
  };
}
