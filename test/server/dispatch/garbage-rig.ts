import type { KubeObject } from '@/lib/kube/object';
import type { GarbageContext, GarbagePlan, LiveState, TrackerEntry } from '@/server/dispatch';
import { FakeApiServer } from '../../support/dispatch-server';

export const TRACKER = { apiVersion: 'core.oam.dev/v1beta1', kind: 'ResourceTracker' };
/** The labels by which an application holds its objects. */
export const TIED = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' };
export const APPLICATION = { name: 'web', namespace: 'shop' };

export const entry = (kind: string, name: string, more: Partial<TrackerEntry> = {}): TrackerEntry => ({
  apiVersion: 'v1',
  kind,
  name,
  namespace: 'shop',
  uid: `uid:${kind}/shop/${name}`,
  cluster: 'local',
  component: 'web',
  deleted: false,
  skipGC: false,
  ...more,
});

export const tracker = (name: string, entries: readonly TrackerEntry[]) => ({ name, uid: `uid:ResourceTracker/${name}`, entries });

export const objectOf = ({ apiVersion, kind, name, namespace, uid }: TrackerEntry, more: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}), ...more },
});

/** Every object as it is recorded, with the same metadata besides. */
export const thereWith = (more: object): GarbageContext => ({ live: (one) => ({ kind: 'present', object: objectOf(one, more) }) });
export const allThere = thereWith({});
export const seen = (state: LiveState): GarbageContext => ({ live: () => state });
export const verdicts = (plan: GarbagePlan) => Object.fromEntries(plan.items.map(({ entry: { name }, verdict }) => [name, verdict]));

/** A server with some objects and the tracker `old`. */
export async function server(...objects: KubeObject[]): Promise<FakeApiServer> {
  const fake = new FakeApiServer();
  for (const object of objects) fake.seed(object);
  fake.seed({ ...TRACKER, metadata: { name: 'old' } });
  return fake;
}
