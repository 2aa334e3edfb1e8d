import type { RevisionScale } from '@/lib/contract/rollout-rows';
import { KINDS } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import type { RolloutDescription } from '@/server/rollout';
import { imageOf } from '../applications/tree';
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
