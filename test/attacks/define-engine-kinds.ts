import { describe, expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS, POLICY_REQUESTED_BY, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster, Person } from '@/server/kube';
import { isConflict } from '@/server/kube';
import { peopleOf, RBAC, startPermissionHouse } from '../house/permission-start';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';

const GATED = { gates: 'every-stage', control: { approvals: { required: 2, allowSelf: false } } };
const STATUS = { subresource: 'status' } as const;

/** Each way by which a person may write a part of an object, with kubectl or any other client. */
const WAYS: Readonly<Record<string, (as: Cluster, at: ObjectAddress, part: object, subresource?: 'status') => Promise<unknown>>> = {
  'a merge patch': (as, at, part, subresource) => as.patch(at, { type: 'merge', body: part }, subresource ? STATUS : {}),
  'server-side apply': (as, at, part, subresource) => {
    const { apiVersion, kind, name, namespace } = at;
    const { metadata, ...rest } = part as { readonly metadata?: object };
    const body = { apiVersion, kind, metadata: { ...metadata, name, ...(namespace ? { namespace } : {}) }, ...rest } as KubeObject;
    return as.patch(at, { type: 'apply', body }, { fieldManager: 'gitops', force: true, ...(subresource ? STATUS : {}) });
  },
  'an update': async (as, at, part, subresource) => {
    for (;;) {
      const held = await as.get(at);
      const { metadata, ...rest } = part as { readonly metadata?: object };
      try {
        return await as.update({ ...held, ...rest, metadata: { ...held.metadata, ...metadata } } as KubeObject, subresource ? STATUS : {});
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
};

/** Whatever had it as its owner would be cleaned away. */
const NOT_THERE = { apiVersion: 'v1', kind: 'ConfigMap', name: 'not-there', uid: 'not-there' };

const rolloutAt = ({ ns }: House) => ({ ...KINDS.rolloutOrchestrator, namespace: ns, name: 'web' });
const autoscalerAt = ({ ns }: House) => ({ ...KINDS.stagePodAutoscaler, namespace: ns, name: 'web-v1' });

interface Attack {
  readonly at: (house: House) => ObjectAddress | Promise<ObjectAddress>;
  readonly part: object;
  readonly subresource?: 'status';
  readonly refused: string;
}

const OF_ITS_APPLICATION = 'may not write or delete the rollout of an application';
const ATTACKS: Readonly<Record<string, Attack>> = {
  'the status of a rollout': {
    at: rolloutAt,
    part: { status: { control: { state: 'idle' } } },
    subresource: 'status',
    refused: 'may not write the status of RolloutOrchestrators',
  },
  'the policy of a rollout': { at: rolloutAt, part: { spec: { control: { gates: 'none' } } }, refused: OF_ITS_APPLICATION },
  'the target of a rollout': {
    at: rolloutAt,
    part: { spec: { targetRevisions: [{ revisionName: 'web-v1', percent: 100 }] } },
    refused: OF_ITS_APPLICATION,
  },
  'the note of who asked for a rollout': {
    at: rolloutAt,
    part: { metadata: { annotations: { [REQUESTED_BY.user]: 'somebody' } } },
    refused: OF_ITS_APPLICATION,
  },
  'the note of who asked for its policy': {
    at: rolloutAt,
    part: { metadata: { annotations: { [POLICY_REQUESTED_BY.user]: 'somebody' } } },
    refused: OF_ITS_APPLICATION,
  },
  'the policy of a rollout in its annotation': {
    at: rolloutAt,
    part: { metadata: { annotations: { 'slipway.dev/control': '{"gates":"none"}' } } },
    refused: OF_ITS_APPLICATION,
  },
  'the pause of a rollout in an annotation': {
    at: rolloutAt,
    part: { metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } },
    refused: OF_ITS_APPLICATION,
  },
  'the labels of a rollout': {
    at: rolloutAt,
    part: { metadata: { labels: { 'app.oam.dev/component': 'other' } } },
    refused: OF_ITS_APPLICATION,
  },
  'the bounds of a revision': {
    at: autoscalerAt,
    part: { spec: { stageMaxScale: 1 } },
    refused: 'may not write or delete StagePodAutoscalers',
  },
  'the figures of a revision': {
    at: autoscalerAt,
    part: { status: { actualScale: 4 } },
    subresource: 'status',
    refused: 'may not write or delete StagePodAutoscalers',
  },
  'the answer to a decision': {
    at: aDecision,
    part: { status: { phase: 'Accepted', message: 'by hand' } },
    subresource: 'status',
    refused: 'may not answer or delete StageDecisions',
  },
};

/** A decision that waits to be answered, or was. */
async function aDecision(house: House): Promise<ObjectAddress> {
  return toAddress(await decide(house, 'web', 'pause', { user: peopleOf(house).root.user }));
}

/** An application whose second version waits at a gate. */
async function startGated(clusterKind: ClusterKind): Promise<House> {
  const house = await startPermissionHouse(clusterKind);
  const { root } = peopleOf(house);
  await house.cluster.as(root).create({ ...aStorefront(GATED), metadata: { name: 'web', namespace: house.ns } });
  await house.until('it carries everything', async () => (await house.ready('web-v1')) === 4);
  return house;
}

/** What takes away, in a real cluster, what an owner or a namespace had. */
const CLEANERS = ['generic-garbage-collector', 'namespace-controller'];
const accountOf = (name: string): Person => ({ user: `system:serviceaccount:kube-system:${name}`, groups: [] });

/** An agent that somebody runs in kube-system; like those that clean up it may do everything in the namespace. */
async function anAgent({ cluster, ns, until }: House): Promise<Cluster> {
  await cluster.create({
    apiVersion: RBAC,
    kind: 'RoleBinding',
    metadata: { name: 'agent', namespace: ns },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: ['agent', ...CLEANERS].map((name) => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })),
  } as KubeObject);
  const as = cluster.as(accountOf('agent'));
  const at = { ...KINDS.rolloutOrchestrator, namespace: ns, name: 'web' };
  await until('the agent has its rights', () =>
    as.get(at).then(
      () => true,
      () => false,
    ),
  );
  return as;
}

const lone = ({ ns }: House, name = 'lone', control: object = { gates: 'every-stage' }): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name, namespace: ns },
  spec: { targetRevisions: [{ revisionName: `${name}-v1`, percent: 100, minScale: 1, maxScale: 1 }], control },
});

/** What keeps to engines what engines make. */
export function defineEngineKinds(clusterKind: ClusterKind): void {
  describe(`what engines keep on the ${clusterKind} cluster`, () => {
    it('[issue 10, 2] is written by nobody else, whichever way, whatever rights they have in the namespace', async () => {
      await using house = await startGated(clusterKind);
      const { ann, robot } = peopleOf(house);
      for (const person of [ann, robot]) {
        const as = house.cluster.as(person);
        for (const [what, { at, part, subresource, refused }] of Object.entries(ATTACKS)) {
          const address = await at(house);
          for (const [way, write] of Object.entries(WAYS))
            await expect(write(as, address, part, subresource), `${what} by ${way}`).rejects.toThrow(refused);
        }
        const orphan = { type: 'merge', body: { metadata: { ownerReferences: null } } } as const;
        await expect(as.patch(rolloutAt(house), orphan)).rejects.toThrow(OF_ITS_APPLICATION);
        const made = {
          ...KINDS.stagePodAutoscaler,
          metadata: { name: 'mine', namespace: house.ns },
          spec: { stageMinScale: 9, stageMaxScale: 9 },
        };
        await expect(as.create(made)).rejects.toThrow('may not write or delete StagePodAutoscalers');
        const owner = (await house.cluster.get(rolloutAt(house))).metadata.ownerReferences ?? [];
        const owned = { ...lone(house), metadata: { name: 'lone', namespace: house.ns, ownerReferences: owner } };
        await expect(as.create(owned)).rejects.toThrow(OF_ITS_APPLICATION);
      }
      // The legitimate way: the application is changed, and the rollout follows it.
      await house.apply(aStorefront({ gates: 'none', image: 'registry.example.com/web:2' }));
      await house.until('it waits at its gate', async () => (await house.ready('web-v2')) === 2);
    });

    it('[issue 10, 2] is deleted by nobody else, one by one or all at once, and goes with its application', async () => {
      await using house = await startGated(clusterKind);
      const { ann, robot } = peopleOf(house);
      const decision = await aDecision(house);
      for (const person of [ann, robot]) {
        const as = house.cluster.as(person);
        const refused: readonly [ObjectAddress, string][] = [
          [rolloutAt(house), OF_ITS_APPLICATION],
          [autoscalerAt(house), 'may not write or delete StagePodAutoscalers'],
          [decision, 'may not answer or delete StageDecisions'],
        ];
        for (const metadata of [{ ownerReferences: [NOT_THERE] }, { finalizers: ['example.com/kept'] }])
          await expect(as.patch(decision, { type: 'merge', body: { metadata } })).rejects.toThrow(
            'may not give StageDecisions other owners',
          );
        for (const [at, sentence] of refused) {
          await expect(as.delete(at)).rejects.toThrow(sentence);
          await expect(as.delete(at, { propagationPolicy: 'Orphan' })).rejects.toThrow(sentence);
          const { name: _all, ...everywhere } = at;
          await expect(as.deleteCollection(everywhere)).rejects.toThrow(sentence);
        }
      }
      expect(await house.get(KINDS.rolloutOrchestrator, 'web')).toBeDefined();
      await house.cluster.as(ann).delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
      await house.until(
        'they went with it',
        async () => [...(await house.list(KINDS.rolloutOrchestrator)), ...(await house.list(KINDS.stagePodAutoscaler))].length === 0,
      );
    });

    it('[issue 10, 2] is deleted by no account of kube-system but those that clean up in the cluster', async () => {
      await using house = await startGated(clusterKind);
      const decision = await aDecision(house);
      const agent = await anAgent(house);
      const targets: readonly [ObjectAddress, string][] = [
        [rolloutAt(house), OF_ITS_APPLICATION],
        [autoscalerAt(house), 'may not write or delete StagePodAutoscalers'],
        [decision, 'may not answer or delete StageDecisions'],
        [{ ...KINDS.applicationRevision, namespace: house.ns, name: 'web-v1' }, 'may not write ApplicationRevisions'],
      ];
      for (const [at, sentence] of targets) await expect(agent.delete(at)).rejects.toThrow(sentence);
      const orphan = { type: 'merge', body: { metadata: { ownerReferences: null } } } as const;
      await expect(agent.patch(rolloutAt(house), orphan)).rejects.toThrow(OF_ITS_APPLICATION);
      // The legitimate ones take away what an application or a namespace had, and change nothing that it says.
      const [collector, ender] = CLEANERS.map((name) => house.cluster.as(accountOf(name)));
      expect(await collector?.patch(rolloutAt(house), orphan, { dryRun: true })).toMatchObject({ metadata: { name: 'web' } });
      const looser = { type: 'merge', body: { spec: { control: { gates: 'none' } } } } as const;
      await expect(collector?.patch(rolloutAt(house), looser)).rejects.toThrow(OF_ITS_APPLICATION);
      for (const [at] of targets) await ender?.delete(at, { dryRun: true });
    });

    it('[issue 10, 2] names who wrote a rollout that no application owns, and everybody who changed its policy', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, robot, root } = peopleOf(house);
      const at = { ...KINDS.rolloutOrchestrator, namespace: house.ns, name: 'lone' };
      const noteOf = ({ metadata: { annotations = {} } }: KubeObject) => [
        annotations[REQUESTED_BY.user],
        annotations[POLICY_REQUESTED_BY.user],
      ];
      const forged = { [REQUESTED_BY.user]: 'somebody', [REQUESTED_BY.uid]: 'theirs', [POLICY_REQUESTED_BY.user]: 'somebody' };
      const made = lone(house);
      const byAnn = { ...ann, uid: 'uid-of-ann' };
      const created = await house.cluster.as(byAnn).create({ ...made, metadata: { ...made.metadata, annotations: forged } });
      expect(noteOf(created)).toEqual([ann.user, ann.user]);
      expect(created.metadata.annotations?.[REQUESTED_BY.uid]).toBe('uid-of-ann');
      const as = house.cluster.as(robot);
      const labelled = await as.patch(at, { type: 'merge', body: { metadata: { labels: { any: 'one' }, annotations: forged } } });
      expect(noteOf(labelled)).toEqual([ann.user, ann.user]);
      const paused = await as.patch(at, {
        type: 'merge',
        body: { metadata: { annotations: { [REQUESTED_BY.user]: ann.user } }, spec: { paused: true } },
      });
      expect(noteOf(paused)).toEqual([robot.user, ann.user]);
      expect(paused.metadata.annotations?.[REQUESTED_BY.groups]).toContain(`system:serviceaccounts:${house.ns}`);
      const looser = await as.patch(at, {
        type: 'merge',
        body: { metadata: { annotations: { [POLICY_REQUESTED_BY.user]: null } }, spec: { control: { gates: 'none' } } },
      });
      expect(noteOf(looser)).toEqual([robot.user, `${ann.user}\n${robot.user}`]);
      // Whoever may do everything counts as an engine, as GitOps tools often do; what they write is noted as theirs all the same.
      const byAll = await house.cluster.as(root).patch(at, {
        type: 'merge',
        body: { metadata: { annotations: forged }, spec: { control: { gates: 'every-stage', stepPercentage: 50 } } },
      });
      expect(noteOf(byAll)).toEqual([root.user, `${ann.user}\n${robot.user}\n${root.user}`]);
    });

    it('[issue 10, 2] lets a rollout that no application owns go by hand, but not while its gates are in force', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const as = house.cluster.as(peopleOf(house).ann);
      const at = (name: string) => ({ ...KINDS.rolloutOrchestrator, namespace: house.ns, name });
      for (const [name, control] of Object.entries({ free: {}, bound: { gates: 'every-stage' } }))
        await as.create(lone(house, name, control));
      const terms = async () => readField(await house.get(KINDS.rolloutOrchestrator, 'bound'), 'status', 'control', 'terms');
      await house.until('its gates are in force', async () => (await terms()) !== undefined);
      const orphaned = { type: 'merge', body: { metadata: { ownerReferences: [NOT_THERE] } } } as const;
      await expect(as.patch(at('bound'), orphaned)).rejects.toThrow('may not give a rollout whose gates are in force other owners');
      await as.patch(at('free'), orphaned, { dryRun: true });
      await as.delete(at('free'));
      await expect(as.delete(at('bound'))).rejects.toThrow('may not delete a rollout whose gates are in force');
      const { name: _all, ...everywhere } = at('bound');
      await expect(as.deleteCollection(everywhere)).rejects.toThrow('may not delete a rollout whose gates are in force');
      await as.patch(at('bound'), { type: 'merge', body: { spec: { control: { gates: 'none' } } } });
      await expect(as.delete(at('bound')), 'a looser policy waits to be decided').rejects.toThrow(
        'may not delete a rollout whose gates are in force',
      );
      const loosened = await decide(house, 'bound', 'loosen', { user: peopleOf(house).root.user });
      expect(readString(loosened, 'status', 'phase')).toBe('Accepted');
      await house.until('nothing holds it', async () => (await terms()) === undefined);
      await as.delete(at('bound'));
    });
  });
}
