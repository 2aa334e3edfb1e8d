import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { aDeployment, aTemplate, DEPLOYMENT, withoutTimes } from './plane';

/** Where the steps are played: any cluster with the controllers on it, and a way to let time pass. */
export interface Ground {
  readonly cluster: Cluster;
  advance(ms: number): Promise<void>;
  /** ReplicaSets in the order of their birth. */
  sets(): Promise<readonly KubeObject[]>;
}

/** What a step came to: revision and status of the Deployment, its sets named by their order. */
export interface StepsSeen {
  readonly steps: Readonly<Record<string, unknown>>;
  readonly sets: readonly unknown[];
}

type Step = readonly [name: string, waitMs: number, act: (cluster: Cluster) => Promise<unknown>];

const change = (spec: unknown) => (cluster: Cluster) =>
  cluster.patch({ ...DEPLOYMENT, namespace: 'shop', name: 'web' }, { type: 'merge', body: { spec } });
const image = (name: string) => change({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const broken = aTemplate({ annotations: { 'sim.slipway.dev/fail': 'image-pull' } });

/** The steps of the recording, in its order. */
const STEPS: readonly Step[] = [
  ['create', 5000, (cluster) => cluster.create(aDeployment())],
  ['image', 5000, image('nginx:2')],
  ['undo', 5000, image('nginx:1')],
  ['scale down', 5000, change({ replicas: 2 })],
  ['pause', 1000, change({ paused: true })],
  ['resume', 1000, change({ paused: false })],
  ['broken image', 5000, change({ progressDeadlineSeconds: 3, template: broken })],
  ['scale up while broken', 3000, change({ replicas: 6 })],
  ['scale to nothing', 5000, change({ replicas: 0 })],
];

/** Plays all steps and says what each came to. */
export async function playSteps(ground: Ground): Promise<StepsSeen> {
  const steps: Record<string, unknown> = {};
  for (const [name, waitMs, act] of STEPS) {
    await act(ground.cluster);
    await ground.advance(waitMs);
    const web = await ground.cluster.get({ ...DEPLOYMENT, namespace: 'shop', name: 'web' });
    const names = (await ground.sets()).map((set) => set.metadata.name ?? '');
    const status = names.reduce((text, set, at) => text.replaceAll(set, `web-#${at + 1}`), JSON.stringify(withoutTimes(web.status)));
    steps[name] = { revision: web.metadata.annotations?.['deployment.kubernetes.io/revision'], status: JSON.parse(status) };
  }
  return {
    steps,
    sets: (await ground.sets()).map((set) => ({ annotations: set.metadata.annotations, replicas: readNumber(set, 'spec', 'replicas') })),
  };
}

interface Golden {
  readonly steps: Readonly<Record<string, unknown>>;
  readonly replicaSets: Readonly<Record<string, { readonly annotations: unknown; readonly replicas: number }>>;
}

/** What the real control plane came to. */
export function recordedSteps(): StepsSeen {
  const golden = JSON.parse(readFileSync(path.join(import.meta.dirname, 'deployment.golden.json'), 'utf8')) as Golden;
  return { steps: golden.steps, sets: Object.values(golden.replicaSets).map(({ annotations, replicas }) => ({ annotations, replicas })) };
}
