import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';

/** Whether an engine of ours writes, or only looks on because another controller does its work. */
export type EngineMode = 'drive' | 'observe';

export interface EngineModes {
  readonly application: EngineMode;
  readonly rollout: EngineMode;
}

const FOREIGN: readonly { readonly engine: keyof EngineModes; readonly image: RegExp; readonly name: RegExp }[] = [
  { engine: 'application', image: /vela-core/, name: /vela-core$/ },
  { engine: 'rollout', image: /serving-progressive-rollout|rolloutorchestrator/, name: /^progressive-rollout/ },
];

/** Looks for controllers that own the same objects; where one runs, our engine observes, since two writers never agree. */
export async function detectModes(cluster: Cluster, signal?: AbortSignal): Promise<EngineModes> {
  const modes: Record<keyof EngineModes, EngineMode> = { application: 'drive', rollout: 'drive' };
  for await (const page of cluster.list(KINDS.deployment, signal ? { signal } : {})) {
    for (const deployment of page.items) {
      for (const foreign of FOREIGN) if (isRunning(deployment, foreign)) modes[foreign.engine] = 'observe';
    }
  }
  return modes;
}

function isRunning(deployment: KubeObject, foreign: (typeof FOREIGN)[number]): boolean {
  const images = readList(deployment, 'spec', 'template', 'spec', 'containers').map((container) => readString(container, 'image') ?? '');
  return foreign.name.test(deployment.metadata.name ?? '') || images.some((image) => foreign.image.test(image));
}
