import type { KubeObject } from '@/lib/kube/object';
import { createChangePlanner } from '@/server/application';
import { realClock } from '@/server/platform';
import type { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { createFakeCluster } from '../auth/fake-cluster';

/** What a change of an application does in a cluster that holds these objects, and which rights it wants. */
export async function planIn(objects: readonly KubeObject[], object: KubeObject) {
  const server = { all: () => objects, watchers: new Set() };
  using planner = createChangePlanner({
    cluster: createFakeCluster({ objects }),
    informers: new FakeInformers(server as unknown as FakeApiServer), // copies use no more of it
    clock: realClock,
  });
  return { plan: await planner.plan(object), needed: await planner.rightsNeeded(object) };
}
