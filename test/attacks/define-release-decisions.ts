import { describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { peopleOf, startPermissionHouse } from '../house/permission-start';
import type { ClusterKind, House } from '../support/house';

const STATUS = { subresource: 'status' } as const;
const ENGINES = 'may not answer or delete ReleaseDecisions, which engines do';
const OWNERS = 'may not give ReleaseDecisions other owners or finalizers';
/** Whatever had it would be cleaned away. */
const NOT_THERE = { apiVersion: 'v1', kind: 'ConfigMap', name: 'not-there', uid: 'not-there' };
const COMMIT = 'c0ffee00'.repeat(5);

interface Spec {
  readonly verb: string;
  readonly actor: { readonly user: string; readonly groups?: readonly string[] };
  readonly [member: string]: unknown;
}

const aDecision = ({ ns }: House, uid: string, { name, ...spec }: Spec & { readonly name?: string }): KubeObject => ({
  ...KINDS.releaseDecision,
  metadata: { namespace: ns, ...(name === undefined ? { generateName: 'ledger-' } : { name }) },
  spec: { releaseRef: { kind: 'FluxHelmRelease', name: 'ledger', uid }, reason: 'for the test', ...spec },
});

/** A release that is declared, and Ann who may hold and sync it. */
async function startReleases(clusterKind: ClusterKind): Promise<{ readonly house: House; readonly uid: string }> {
  const house = await startPermissionHouse(clusterKind);
  const { ns, cluster } = house;
  const { ann } = peopleOf(house);
  const RBAC = 'rbac.authorization.k8s.io';
  const rules = [
    { apiGroups: ['helm.integrations.flux.weave.works'], resources: ['fluxhelmreleases'], verbs: ['get', 'update', 'hold', 'sync'] },
    { apiGroups: ['helm.fluxcd.io', 'flux.weave.works'], resources: ['helmreleases'], verbs: ['get', 'update'] },
  ];
  await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: 'holder', namespace: ns }, rules } as KubeObject);
  const [roleRef, subjects] = [{ apiGroup: RBAC, kind: 'Role', name: 'holder' }, [{ apiGroup: RBAC, kind: 'User', name: ann.user }]];
  await cluster.create({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'holder', namespace: ns },
    roleRef,
    subjects,
  } as KubeObject);
  const made = await cluster.create({
    ...KINDS.fluxHelmRelease,
    metadata: { name: 'ledger', namespace: ns },
    spec: { chartGitPath: 'ledger', values: {} },
  });
  const uid = made.metadata.uid ?? '';
  const dryly = async (actor: string) =>
    cluster
      .as(ann)
      .create(aDecision(house, uid, { verb: 'hold', actor: { user: actor } }), { dryRun: true })
      .then(
        () => 'taken',
        (error: unknown) => String(error),
      );
  await house.until('Ann may hold it', async () => (await dryly(ann.user)) === 'taken');
  await house.until('decisions are guarded', async () => (await dryly('somebody')).includes('spec.actor.user must be'));
  return { house, uid };
}

/** What ties decisions about releases to people, and their answers to engines. */
export function defineReleaseDecisions(clusterKind: ClusterKind): void {
  describe(`decisions about releases on the ${clusterKind} cluster`, () => {
    it('[issue 12.1] are made in nobody else’s name, with nobody else’s groups, and with no verb that one may not use', async () => {
      const { house, uid } = await startReleases(clusterKind);
      await using _house = house;
      const { ann, root } = peopleOf(house);
      const as = house.cluster.as(ann);
      const actor = { user: ann.user };
      await expect(as.create(aDecision(house, uid, { verb: 'hold', actor: { user: root.user } }))).rejects.toThrow(
        `spec.actor.user must be ${ann.user}`,
      );
      await expect(as.create(aDecision(house, uid, { verb: 'hold', actor: { ...actor, groups: ['release-managers'] } }))).rejects.toThrow(
        'spec.actor.groups must only be groups of whoever makes the decision',
      );
      const more = { actor, revision: 1, commit: COMMIT };
      for (const verb of ['approve', 'rollback', 'lift', 'cancel', 'unlock', 'loosen', 'gate'])
        await expect(as.create(aDecision(house, uid, { ...more, verb })), verb).rejects.toThrow(
          `${ann.user} does not have the right to ${verb} here`,
        );
      await expect(as.create(aDecision(house, uid, { verb: 'anything', actor }))).rejects.toThrow(
        /Unsupported value: "anything"|does not have the right to anything/,
      );
      // The right to what declares a release is none to what Helm stored of others, and no other verb is about that.
      const undeclared = (verb: string) => ({
        ...aDecision(house, uid, { verb, actor }),
        spec: { releaseRef: { kind: 'Secret', name: 'sh.helm.release.v1.ledger.v1', uid }, verb, actor, reason: 'for the test' },
      });
      await expect(as.create(undeclared('uninstall'))).rejects.toThrow(
        `${ann.user} does not have the right to update secrets here, which uninstall requires`,
      );
      await expect(house.cluster.create(undeclared('hold'))).rejects.toThrow(
        /uninstall names the Secret of the newest stored revision|spec.actor.user must be/,
      );
      await expect(as.create(aDecision(house, uid, { verb: 'uninstall', actor }))).rejects.toThrow(
        /uninstall names the Secret of the newest stored revision|does not have the right to uninstall/,
      );
      const made = await as.create(aDecision(house, uid, { verb: 'hold', actor }));
      const spec = { ...(made.spec as object), reason: 'another' };
      await expect(as.patch(toAddress(made), { type: 'merge', body: { spec } })).rejects.toThrow('a decision is immutable');
    });

    it('[issue 12.1] about a HelmRelease want the verb in its group: that to one of the same name in another gives nothing', async () => {
      const { house, uid } = await startReleases(clusterKind);
      await using _house = house;
      const { ann } = peopleOf(house);
      const RBAC = 'rbac.authorization.k8s.io';
      const metadata = { name: 'later', namespace: house.ns };
      const rules = [{ apiGroups: ['helm.fluxcd.io'], resources: ['helmreleases'], verbs: ['hold'] }];
      await house.cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules } as KubeObject);
      const [roleRef, subjects] = [{ apiGroup: RBAC, kind: 'Role', name: 'later' }, [{ apiGroup: RBAC, kind: 'User', name: ann.user }]];
      await house.cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects } as KubeObject);
      const decide = (of: object, dryRun = true) => {
        const decision = aDecision(house, uid, { verb: 'hold', actor: { user: ann.user } });
        const releaseRef = { kind: 'HelmRelease', ...of, name: 'ledger', uid };
        const spec = { ...(decision.spec as object), releaseRef };
        return house.cluster.as(ann).create({ ...decision, spec }, { dryRun });
      };
      await house.until('Ann may hold the later kind', async () =>
        decide({}).then(
          () => true,
          () => false,
        ),
      );
      await expect(decide({ group: 'flux.weave.works' })).rejects.toThrow(`${ann.user} does not have the right to hold here`);
      // No other group is taken, nor one of another kind, by which the right to that would count.
      await expect(decide({ group: 'helm.fluxcd.io' })).rejects.toThrow('spec.releaseRef.group');
      await expect(decide({ kind: 'FluxHelmRelease', group: 'flux.weave.works' })).rejects.toThrow(
        'only a HelmRelease is named with its group',
      );
    });

    it('[issue 10.1] a release that one may change and not delete is given no other owner, and is changed otherwise', async () => {
      const { house } = await startReleases(clusterKind);
      await using _house = house;
      const { ann } = peopleOf(house);
      const at = { ...KINDS.fluxHelmRelease, namespace: house.ns, name: 'ledger' };
      const write = async (as: Cluster, metadata: object, dryRun = false) => {
        const held = await house.cluster.get(at);
        return as.update({ ...held, metadata: { ...held.metadata, ...metadata } }, { dryRun });
      };
      const as = house.cluster.as(ann);
      await expect(as.delete(at)).rejects.toThrow(/cannot delete resource/);
      const orphaned = { ownerReferences: [NOT_THERE] };
      // A real API server heeds a new policy a moment later.
      await house.until('owners are guarded', () =>
        write(as, orphaned, true).then(
          () => false,
          () => true,
        ),
      );
      await expect(write(as, orphaned)).rejects.toThrow(`${ann.user} does not have the right to delete this, which other owners require`);
      expect((await write(as, { labels: { tier: 'back' } })).metadata.labels).toEqual({ tier: 'back' });
      const configMap = await house.cluster.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'owner', namespace: house.ns },
      });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: configMap.metadata.uid ?? '' };
      const owned = await write(house.cluster, { ownerReferences: [owner] });
      expect(owned.metadata.ownerReferences).toEqual([owner]);
      await expect(write(as, { ownerReferences: [] })).rejects.toThrow('which other owners require');
      for (const type of [KINDS.helmRelease, KINDS.olderHelmRelease]) {
        const spec = { chart: { git: 'https://git.example.com/charts', path: 'ledger' } };
        const held = await house.cluster.create({ ...type, metadata: { name: 'ledger', namespace: house.ns }, spec });
        const given = as.update({ ...held, metadata: { ...held.metadata, ...orphaned } });
        await expect(given, type.apiVersion).rejects.toThrow('which other owners require');
      }
    });

    it('[issue 12.1] are answered and deleted by engines only, and so is what they keep of a gate', async () => {
      const { house, uid } = await startReleases(clusterKind);
      await using _house = house;
      const { ann, robot } = peopleOf(house);
      const made = await house.cluster.create(aDecision(house, uid, { name: `gate-${uid}`, verb: 'gate', actor: { user: 'slipway' } }));
      const gate = { required: 2, groups: [['release-managers']] };
      await house.cluster.update({ ...made, status: { phase: 'Accepted', message: 'kept', gate } }, STATUS);
      const at = toAddress(made);
      const { name: _all, ...everywhere } = at;
      for (const person of [ann, robot]) {
        const as = house.cluster.as(person);
        await expect(as.patch(at, { type: 'merge', body: { status: { gate: { required: 0 } } } }, STATUS)).rejects.toThrow(ENGINES);
        await expect(as.patch(at, { type: 'merge', body: { status: null } }, STATUS)).rejects.toThrow(ENGINES);
        const applied = {
          apiVersion: at.apiVersion,
          kind: at.kind,
          metadata: { name: at.name, namespace: house.ns },
          status: { phase: 'Rejected' },
        };
        await expect(as.patch(at, { type: 'apply', body: applied }, { fieldManager: 'gitops', force: true, ...STATUS })).rejects.toThrow(
          ENGINES,
        );
        await expect(as.update({ ...(await as.get(at)), status: { phase: 'Accepted' } }, STATUS)).rejects.toThrow(ENGINES);
        for (const metadata of [{ ownerReferences: [NOT_THERE] }, { finalizers: ['example.com/kept'] }])
          await expect(as.patch(at, { type: 'merge', body: { metadata } })).rejects.toThrow(OWNERS);
        await expect(as.delete(at)).rejects.toThrow(ENGINES);
        await expect(as.delete(at, { propagationPolicy: 'Orphan' })).rejects.toThrow(ENGINES);
        await expect(as.deleteCollection(everywhere)).rejects.toThrow(ENGINES);
      }
      expect(readField(await house.cluster.get(at), 'status', 'gate')).toEqual(gate);
      // Whoever may use every verb could make one with an owner that they delete whenever they like.
      const forged = aDecision(house, uid, { name: 'gate-forged', verb: 'gate', actor: { user: robot.user } });
      await expect(house.cluster.as(robot).create(forged)).rejects.toThrow('may not keep a gate, which engines do');
    });
  });
}
