import { describe, expect, it } from 'vitest';
import { STAGE_DECISION_API_VERSION } from '@/lib/contract/stage-decision';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing } from '@/server/installation';
import type { Cluster, Person } from '@/server/kube';
import { realClock } from '@/server/platform';
import { aRevision, peopleOf, RBAC, startPermissionHouse } from '../house/permission-start';
import { aStorefront } from '../support/applications';
import { readDeployed } from '../support/definitions';
import type { ClusterKind, House } from '../support/house';
import { silentLog } from '../support/silent-log';
import { isWaitingAt } from '../support/told';

/** By roles of the cluster, or by what admits decisions; not for another reason, as an object that is not there. */
const REFUSED = /cannot \w+ resource|does not have the right to|spec\.actor\.(user|groups) must/;
const CONTROL = { approvals: { required: 2, allowSelf: false } };
const DECISIONS = 'stagedecisions.slipway.dev';
const VERBS = ['approve', 'advance', 'promote-full', 'loosen', 'pause', 'resume', 'rollback', 'retry', 'abort'] as const;
/** Those on a release, as they are told here; of an uninstall that no resource declares the right is another one. */
const RELEASE_VERBS = ['sync', 'approve', 'hold', 'lift', 'cancel', 'loosen', 'unlock', 'rollback'] as const;
const ofRelease = (verb: (typeof RELEASE_VERBS)[number]) => `${verb} of a release`;
const OF_APPROVERS = (['sync', 'approve', 'hold', 'lift', 'cancel', 'loosen'] as const).map(ofRelease);

interface Role {
  /** Roles of the cluster that are bound in the namespace, and rules of its own. */
  readonly bound?: readonly string[];
  readonly rules?: readonly object[];
  /** What the API server takes of this role, of all that is tried; anything else is refused. */
  readonly takes: readonly string[];
}

const applications = { apiGroups: ['core.oam.dev'], resources: ['applications'], verbs: ['get', 'create', 'update', 'patch', 'delete'] };
const ROLES: Readonly<Record<string, Role>> = {
  viewer: { bound: ['slipway:viewer'], takes: [] },
  approver: {
    bound: ['slipway:viewer', 'slipway:approver'],
    takes: [...OF_APPROVERS, 'approve', 'advance', 'promote-full', 'loosen', 'pause', 'resume', 'abort'],
  },
  operator: {
    bound: ['slipway:viewer', 'slipway:operator'],
    takes: [
      ...RELEASE_VERBS.map(ofRelease),
      ...VERBS,
      'the policy of the application',
      'an owner that is not there',
      'an end without its gates',
    ],
  },
  editor: { rules: [applications], takes: ['the policy of the application', 'an owner that is not there', 'an end without its gates'] },
  // Changes applications, and may delete none.
  changer: {
    rules: [{ ...applications, verbs: ['get', 'create', 'update', 'patch'] }],
    takes: ['the policy of the application'],
  },
  decider: { rules: [{ apiGroups: ['slipway.dev'], resources: ['stagedecisions', 'releasedecisions'], verbs: ['create'] }], takes: [] },
  // As charts of add-ons have it: everything that is no right, in one namespace.
  author: { bound: ['edit'], takes: ['more replicas', 'the image of the workload', 'a Secret'] },
};

type Attempt = (as: Cluster, house: House, person: Person) => Promise<unknown>;
const rolloutAt = ({ ns }: House) => ({ ...KINDS.rolloutOrchestrator, namespace: ns, name: 'web' });
const workloadAt = ({ ns }: House) => ({ ...KINDS.deployment, namespace: ns, name: 'web-v2' });
const dryly = { dryRun: true } as const;
const NOT_THERE = { apiVersion: 'v1', kind: 'ConfigMap', name: 'not-there', uid: 'not-there' };

function aDecision({ ns }: House, verb: string, actor: Person): KubeObject {
  return {
    apiVersion: STAGE_DECISION_API_VERSION,
    kind: 'StageDecision',
    metadata: { generateName: 'hostile-', namespace: ns },
    spec: { rolloutRef: { name: 'web', uid: 'any' }, verb, reason: 'for the test', actor },
  };
}

function aReleaseDecision({ ns }: House, verb: string, actor: Person): KubeObject {
  const isUninstall = verb === 'uninstall';
  const releaseRef = { kind: isUninstall ? 'Secret' : 'HelmRelease', name: 'any', uid: 'any' };
  const about = verb === 'rollback' ? { revision: 1 } : verb === 'approve' ? { commit: 'c0ffee00'.repeat(5) } : {};
  return {
    ...KINDS.releaseDecision,
    metadata: { generateName: 'hostile-', namespace: ns },
    spec: { releaseRef, verb, reason: 'for the test', actor: { user: actor.user, groups: [] }, ...about },
  };
}

/** All by which somebody could go past a gate, or come to the right to do so; what the API server may take is tried dry. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  ...Object.fromEntries(
    VERBS.map((verb): [string, Attempt] => [verb, (as, house, { user }) => as.create(aDecision(house, verb, { user, groups: [] }), dryly)]),
  ),
  ...Object.fromEntries(
    RELEASE_VERBS.map((verb): [string, Attempt] => [
      ofRelease(verb),
      (as, house, person) => as.create(aReleaseDecision(house, verb, person), dryly),
    ]),
  ),
  'the end of a release that nothing declares': (as, house, person) => as.create(aReleaseDecision(house, 'uninstall', person), dryly),
  'the gate of a release': (as, house, person) => as.create(aReleaseDecision(house, 'gate', person), dryly),
  'a decision on a release of somebody else': (as, house) => as.create(aReleaseDecision(house, 'approve', peopleOf(house).root), dryly),
  'a decision of somebody else': (as, house) => as.create(aDecision(house, 'approve', peopleOf(house).root), dryly),
  'a decision of a group': (as, house, { user }) => as.create(aDecision(house, 'approve', { user, groups: ['release-managers'] }), dryly),
  'the status of the rollout': (as, house) =>
    as.patch(rolloutAt(house), { type: 'merge', body: { status: { control: { state: 'idle' } } } }, { subresource: 'status', ...dryly }),
  'the policy of the rollout': (as, house) =>
    as.patch(rolloutAt(house), { type: 'merge', body: { spec: { control: { gates: 'none' } } } }, dryly),
  'the end of the rollout': (as, house) => as.delete(rolloutAt(house), dryly),
  'the bounds of a revision': (as, { ns }) =>
    as.patch(
      { ...KINDS.stagePodAutoscaler, namespace: ns, name: 'web-v2' },
      { type: 'merge', body: { spec: { stageMinScale: 9 } } },
      dryly,
    ),
  'a revision': (as, house) => as.create(aRevision(house), dryly),
  'a tracker': (as) =>
    as.create({ ...KINDS.resourceTracker, metadata: { name: 'hostile' }, spec: { type: 'versioned', applicationGeneration: 1 } }, dryly),
  'the end of an admission policy': (as) =>
    as.delete(
      { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding', name: 'engines.slipway.dev' },
      dryly,
    ),
  'a role of an approver': (as, { ns }, { user }) => as.create(aBinding(ns, 'more', 'slipway:approver', user), dryly),
  'more replicas': (as, house) => as.patch(workloadAt(house), { type: 'merge', body: { spec: { replicas: 9 } } }, dryly),
  'the image of the workload': (as, house) =>
    as.patch(workloadAt(house), { type: 'merge', body: { metadata: { annotations: { image: 'other' } } } }, dryly),
  'a Secret': async (as, { ns }) => as.get({ ...SECRET, namespace: ns, name: 'theirs' }),
  'the policy of the application': (as, { ns }) =>
    as.patch({ ...KINDS.application, namespace: ns, name: 'web' }, { type: 'merge', body: { spec: { policies: [] } } }, dryly),
  // The garbage collector would delete it.
  'an owner that is not there': (as, { ns }) =>
    as.patch(
      { ...KINDS.application, namespace: ns, name: 'web' },
      { type: 'merge', body: { metadata: { ownerReferences: [NOT_THERE] } } },
      dryly,
    ),
  'an end without its gates': (as, { ns }) => as.delete({ ...KINDS.application, namespace: ns, name: 'web' }, dryly),
};

const aBinding = (namespace: string, name: string, role: string, user: string, kind = 'ClusterRole') =>
  ({
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  }) as KubeObject;

/** What ties decisions to people, which a house leaves out on a real cluster since other tests decide in the name of others; gone when that is over. */
export async function guardDecisions({ cluster }: House, clusterKind: ClusterKind): Promise<AsyncDisposable> {
  const policies =
    clusterKind === 'real' ? (await readDeployed('deploy/admission.yaml')).filter(({ metadata }) => metadata.name === DECISIONS) : [];
  await installMissing(policies, { cluster, clock: realClock, log: silentLog });
  return {
    async [Symbol.asyncDispose]() {
      for (const one of policies) await cluster.delete(toAddress(one));
    },
  };
}

interface Besieged {
  readonly house: House;
  readonly people: ReadonlyMap<string, Person>;
  readonly guard: AsyncDisposable;
}

/** An application of which a second version waits at its gate, wanted by root, and somebody of each role. */
async function startBesieged(clusterKind: ClusterKind): Promise<Besieged> {
  const house = await startPermissionHouse(clusterKind);
  const { cluster, ns } = house;
  const { root } = peopleOf(house);
  await cluster.create({ ...SECRET, metadata: { name: 'theirs', namespace: ns } });
  const guard = await guardDecisions(house, clusterKind);
  const people = new Map(Object.keys(ROLES).map((role) => [role, { user: `${role}-${ns}`, groups: [] }]));
  for (const [role, { bound = [], rules }] of Object.entries(ROLES)) {
    const user = people.get(role)?.user ?? '';
    for (const [at, one] of bound.entries()) await cluster.create(aBinding(ns, `${role}-${at}`, one, user));
    if (rules === undefined) continue;
    await cluster.create({ apiVersion: RBAC, kind: 'Role', metadata: { name: role, namespace: ns }, rules } as KubeObject);
    await cluster.create(aBinding(ns, role, role, user, 'Role'));
  }
  const version = (image: string) => ({
    ...aStorefront({ gates: 'every-stage', control: CONTROL, image }),
    metadata: { name: 'web', namespace: ns },
  });
  await cluster.as(root).create(version('web:1'));
  await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
  await cluster.as(root).patch({ ...KINDS.application, namespace: ns, name: 'web' }, { type: 'merge', body: version('web:2') });
  await house.until('it waits at its gate', async () => isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), 1));
  return { house, people, guard };
}

/** What became of each attempt of somebody: `taken`, or the refusal. */
async function tryAll(house: House, person: Person): Promise<ReadonlyMap<string, string>> {
  const as = house.cluster.as(person);
  const answers = new Map<string, string>();
  for (const [what, attempt] of Object.entries(ATTEMPTS)) {
    const answer = attempt(as, house, person).then(() => 'taken', String);
    answers.set(what, await answer);
  }
  return answers;
}

/** What each role may do past a gate: no more than it was given. */
export function defineHostileRoles(clusterKind: ClusterKind): void {
  describe(`hostile roles on the ${clusterKind} cluster`, () => {
    it('[issue 10, 2] do what they were given and nothing else of all that leads past a gate', async () => {
      const { house, people, guard } = await startBesieged(clusterKind);
      await using _house = house;
      await using _guard = guard;
      for (const [role, person] of people) {
        const takes = ROLES[role]?.takes ?? [];
        const last = ATTEMPTS[takes.at(-1) ?? ''];
        // A real API server hears of rights a moment later.
        const hasRights = async () =>
          (await last?.(house.cluster.as(person), house, person).then(
            () => true,
            () => false,
          )) ?? true;
        await house.until(`${role} has its rights`, hasRights);
        const answers = await tryAll(house, person);
        const refused = [...answers].filter(([, answer]) => answer !== 'taken');
        expect(
          refused.filter(([, answer]) => !REFUSED.test(answer)),
          role,
        ).toEqual([]);
        expect([...answers.keys()].filter((what) => answers.get(what) === 'taken').sort(), role).toEqual([...takes].sort());
      }
    });
  });
}
