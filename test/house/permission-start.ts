import { getCondition } from '@/lib/kube/condition';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS, LABELLED_BY, PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { installMissing, waitForAdmissionPolicy } from '@/server/installation';
import type { Person } from '@/server/kube';
import { realClock } from '@/server/platform';
import { readDeployed } from '../support/definitions';
import type { ClusterKind, House, HouseOptions } from '../support/house';
import { startHouse } from '../support/house';
import { silentLog } from '../support/silent-log';

export const RBAC = 'rbac.authorization.k8s.io/v1';
export const BY = 'slipway.dev/requested-by';
export const configMap = (name: string, data: object, namespace?: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(namespace ? { namespace } : {}) },
  data,
});

/** Everybody here gets a name of their own, since a real cluster is shared between tests. */
export function peopleOf({ ns }: House) {
  const person = (user: string): Person => ({ user: `${user}-${ns}`, groups: [] });
  return { ann: person('ann'), root: person('root'), robot: { user: `system:serviceaccount:${ns}:robot`, groups: [] } };
}

/** Ann may change applications and ConfigMaps in the namespace, and write roles there; root may do everything; so may the robot, in this namespace. */
async function giveRights(house: House): Promise<void> {
  const { ns, cluster } = house;
  const { ann, root } = peopleOf(house);
  const rules = [
    { apiGroups: ['core.oam.dev'], resources: ['*'], verbs: ['*'] },
    { apiGroups: ['serving.knative.dev'], resources: ['*'], verbs: ['*'] },
    { apiGroups: ['slipway.dev'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['*'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create', 'patch', 'delete', 'get'] },
  ];
  const ref = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const objects = [
    { apiVersion: RBAC, kind: 'Role', metadata: { name: 'author', namespace: ns }, rules },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name: 'ann', namespace: ns },
      roleRef: ref('Role', 'author'),
      subjects: [ref('User', ann.user)],
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: { name: 'robot', namespace: ns },
      roleRef: ref('ClusterRole', 'cluster-admin'),
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: ns }],
    },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: `root-${ns}` },
      roleRef: ref('ClusterRole', 'cluster-admin'),
      subjects: [ref('User', root.user)],
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: ns } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${ns}-other` } },
  ];
  for (const object of objects) await cluster.create(object as KubeObject);
}

/** On a real cluster the policies do what the simulator does by itself; they take a moment to be heeded. */
export async function startPermissionHouse(
  clusterKind: ClusterKind,
  options: Pick<HouseOptions, 'decisionsBlockedReason'> = {},
): Promise<House> {
  const house = await startHouse({ clusterKind, ...options });
  await giveRights(house);
  if (clusterKind === 'embedded') return house;
  const policies = (await readDeployed('deploy')).filter(
    ({ apiVersion, metadata }) => apiVersion.startsWith('admissionregistration') && metadata.name !== 'stagedecisions.slipway.dev',
  );
  const deps = { cluster: house.cluster, clock: realClock, log: silentLog };
  await installMissing(policies, deps);
  await house.until('requests are noted', () => waitForAdmissionPolicy(deps));
  await house.until('requests to put back are noted', async () => {
    const asking = {
      ...KINDS.application,
      metadata: { name: 'asking', namespace: house.ns, annotations: { [PUT_BACK.asked]: 'any' } },
      spec: { components: [] },
    };
    return (await house.cluster.create(asking, { dryRun: true })).metadata.annotations?.[PUT_BACK.user] !== undefined;
  });
  await house.until('labels are noted', async () => {
    const labelled = {
      ...KINDS.application,
      metadata: { name: 'labelled', namespace: house.ns, labels: { tier: 'any' } },
      spec: { components: [] },
    };
    return (await house.cluster.create(labelled, { dryRun: true })).metadata.annotations?.[LABELLED_BY.user] !== undefined;
  });
  await house.until('everybody has their rights', async () => {
    const { ann, root, robot } = peopleOf(house);
    return (await Promise.all([ann, root, robot].map((person) => mayWrite(house, person)))).every((may) => may);
  });
  await house.until('rollouts are guarded', async () => {
    const made = { ...KINDS.rolloutOrchestrator, metadata: { name: 'guarded', namespace: house.ns }, spec: {} };
    const noted = await house.cluster
      .as(peopleOf(house).ann)
      .create(made, { dryRun: true })
      .then(({ metadata }) => metadata.annotations?.[BY] !== undefined, whileUnserved);
    const scaled = { ...KINDS.stagePodAutoscaler, metadata: { name: 'guarded', namespace: house.ns }, spec: {} };
    return (
      noted &&
      house.cluster
        .as(peopleOf(house).ann)
        .create(scaled, { dryRun: true })
        .then(
          () => false,
          () => true,
        )
    );
  });
  await house.until('revisions are guarded', () =>
    house.cluster
      .as(peopleOf(house).ann)
      .create(aRevision(house), { dryRun: true })
      .then(() => false, isRefused),
  );
  return house;
}

/** Rights are read from a copy of the server's that follows a moment later. */
async function mayWrite({ cluster, ns }: House, person: Person): Promise<boolean> {
  const resourceAttributes = { namespace: ns, verb: 'create', group: KINDS.application.apiVersion.split('/')[0], resource: 'applications' };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', metadata: {}, spec: { resourceAttributes } };
  return readField(await cluster.as(person).create(review), 'status', 'allowed') === true;
}

/** A kind that was defined a moment ago is unknown to admission for a few seconds. */
function whileUnserved(error: unknown): false {
  if (String(error).includes('There can be a delay between when CustomResourceDefinitions are created')) return false;
  throw error;
}

const isRefused = (error: unknown) => String(error).includes('which engines make');

/** A revision that nobody but an engine may make. */
export const aRevision = ({ ns }: House): KubeObject => ({
  ...KINDS.applicationRevision,
  metadata: { name: 'web-v7', namespace: ns },
  spec: {},
});

/** Waits until a revision of an application is applied. */
export async function applied(house: House, revision: string, name = 'web'): Promise<void> {
  await house.until(`${revision} is applied`, async () => {
    const object = await house.get(KINDS.application, name);
    return readString(object, 'status', 'latestRevision', 'name') === revision;
  });
}

/** Waits until an application is held for want of a right, and tells the sentence that says so. */
export async function refusal(house: House, name = 'web'): Promise<string> {
  const condition = async () => {
    const object = await house.get(KINDS.application, name);
    const found = object && getCondition(object, 'Applied');
    return found?.reason === 'NotPermitted' && readString(object, 'status', 'status') === 'held' ? found.message : undefined;
  };
  await house.until('the application is held', async () => (await condition()) !== undefined);
  return (await condition()) ?? '';
}
