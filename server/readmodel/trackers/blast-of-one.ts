import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { TrackerEntry } from '@/server/dispatch';
import type { TrackedObjects } from '../applications/tracked';
import type { ClusterView } from '../cluster-view';
import { blastRadiusOf, explainBlast } from './blast-radius';

interface BlastDeps {
  readonly view: ClusterView;
  readonly tracked: Pick<TrackedObjects, 'trackersOf'>;
}

/** What goes or suffers when one object of an application is deleted by itself, a sentence each. */
export function explainBlastOf(object: KubeObject, application: ObjectKey, { view, tracked }: BlastDeps): readonly string[] {
  const compared = new Set(tracked.trackersOf(application).map(({ metadata }) => metadata.name ?? ''));
  const going = new Set(object.metadata.uid === undefined ? [] : [object.metadata.uid]);
  const entry: TrackerEntry = { ...toAddress(object), cluster: 'local', component: '', deleted: false, skipGC: false };
  const item = { id: '', entry, uid: object.metadata.uid, verdict: 'deleted', why: '', tracker: '' } as const;
  return blastRadiusOf(object, item, { view, going, compared }).map(explainBlast);
}
