import type { KubeObject } from '@/lib/kube/object';
import { toAddress, toObjectKey } from '@/lib/kube/object';
import type { GarbageItem, TrackerEntry } from '@/server/dispatch';
import type { TrackedObjects } from '../applications/tracked';
import type { ClusterView } from '../cluster-view';
import { blastRadiusOf, explainBlast } from './blast-radius';

interface BlastDeps {
  readonly view: ClusterView;
  readonly tracked: Pick<TrackedObjects, 'trackersOf'>;
}

/** The plan by which an object goes: how, and with what else. */
interface PlannedLoss {
  readonly item: GarbageItem;
  /** uids of everything that goes by it. */
  readonly going: ReadonlySet<string>;
}

/** What goes or suffers when an object of an application is deleted, by itself or by a plan, a sentence each. */
export type BlastRadiusOf = (
  application: { readonly ns: string; readonly name: string },
  object: KubeObject,
  by?: PlannedLoss,
) => readonly string[];

/** Tells what goes with an object by the copies. */
export function createBlastRadius({ view, tracked }: BlastDeps): BlastRadiusOf {
  return ({ ns, name }, object, { item, going } = aloneOf(object)) => {
    const trackers = tracked.trackersOf(toObjectKey({ namespace: ns, name }));
    const compared = new Set(trackers.map(({ metadata }) => metadata.name ?? ''));
    return blastRadiusOf(object, item, { view, going, compared }).map(explainBlast);
  };
}

function aloneOf(object: KubeObject): PlannedLoss {
  const { uid } = object.metadata;
  const entry: TrackerEntry = { ...toAddress(object), cluster: 'local', component: '', deleted: false, skipGC: false };
  return { item: { id: '', entry, uid, verdict: 'deleted', why: '', tracker: '' }, going: new Set(uid === undefined ? [] : [uid]) };
}
