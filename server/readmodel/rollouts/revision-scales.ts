import type { RevisionScale } from '@/lib/contract/rollout-rows';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { RolloutDescription } from '@/server/rollout';
import type { ClusterView } from '../cluster-view';
import type { ScaleHistory } from './scale-history';

/** Every revision that takes part in a rollout, with what runs in it and what its figures were. */
export function toRevisionScales({ namespace, revisions }: RolloutDescription, view: ClusterView, history: ScaleHistory): RevisionScale[] {
  return revisions.map(({ exists: _exists, ...told }) => {
    const key = toObjectKey({ namespace, name: told.revision });
    return {
      ...told,
      image: imageOf(view.get(KINDS.deployment, key)) ?? null,
      samples: history.of(key).map(({ key: _key, ...sample }) => sample),
    };
  });
}

/** Image of the first container of a workload: what a revision runs. */
function imageOf(workload: KubeObject | undefined): string | undefined {
  return readString(workload, 'spec', 'template', 'spec', 'containers', 0, 'image');
}
