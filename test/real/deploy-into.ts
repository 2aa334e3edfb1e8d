import { grantObjects } from '@/lib/contract/grant';
import { KINDS } from '@/lib/kube/kinds';
import { installMissing, readManifests } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { realClock } from '@/server/platform';
import { silentLog } from '../support/silent-log';

/** Applies all of `deploy/` as an administrator does, roles first, and makes a namespace in which the server may write. */
export async function deployInto(admin: Cluster, namespace: string): Promise<void> {
  const deps = { cluster: admin, clock: realClock, log: silentLog };
  await installMissing(await readManifests('deploy/rbac'), deps);
  await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
  await admin.create({ ...KINDS.namespace, metadata: { name: namespace } });
  for (const object of grantObjects(namespace)) await admin.create(object);
}
