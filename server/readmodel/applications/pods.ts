import { AppError } from '@/lib/contract/app-error';
import { KINDS, LABELS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Release } from '@/server/platform';
import type { ClusterView } from '../cluster-view';
import type { TrackedObjects } from './tracked';

/** A pod of an application, and what of it made the pod. */
export interface ApplicationPod {
  readonly pod: KubeObject;
  readonly revision: string | null;
  readonly component: string | null;
}

/** The pods of one application, as the copies have them. */
export interface ApplicationPods {
  pods(): readonly ApplicationPod[];
  /** Hears that the application changed in any way. */
  onChange(listener: () => void): Release;
}

interface PodsDeps {
  readonly view: ClusterView;
  readonly tracked: TrackedObjects;
  readonly onTouch: (listener: (application: ObjectKey) => void) => Release;
}

/** The pods that trackers of an application list, and those that controllers made of what they list; throws not-found. */
export function openPods(
  { ns, name }: { readonly ns: string; readonly name: string },
  { view, tracked, onTouch }: PodsDeps,
): ApplicationPods {
  const key = toObjectKey({ namespace: ns, name });
  if (view.get(KINDS.application, key) === undefined) throw new AppError('not-found', `there is no application ${name} in namespace ${ns}`);
  return {
    onChange: (listener) => onTouch((application) => application === key && listener()),
    pods() {
      const found = new Map<string, ApplicationPod>();
      for (const tracker of tracked.trackersOf(key)) {
        const revision = tracked.revisionOf(tracker) ?? null;
        for (const entry of tracked.entriesOf(tracker.metadata.name ?? '')) {
          const object = view.get(entry, toObjectKey(entry));
          const component = object?.metadata.labels?.[LABELS.component] ?? null;
          // What several trackers list belongs to the newest.
          for (const pod of podsIn(object, view)) found.set(pod.metadata.uid ?? '', { pod, revision, component });
        }
      }
      return [...found.values()];
    },
  };
}

function podsIn(object: KubeObject | undefined, view: ClusterView): readonly KubeObject[] {
  if (object === undefined) return [];
  if (object.kind === KINDS.pod.kind && object.apiVersion === KINDS.pod.apiVersion) return [object];
  const { uid } = object.metadata;
  return uid === undefined ? [] : view.children(uid).flatMap((child) => podsIn(child, view));
}
