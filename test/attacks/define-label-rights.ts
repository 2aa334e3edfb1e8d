import { describe, expect, it } from 'vitest';
import { messageOf } from '@/lib/contract/app-error';
import { getCondition } from '@/lib/kube/condition';
import { KINDS, LABELLED_BY, LABELLED_NAMES } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Person } from '@/server/kube';
import { applied, configMap, peopleOf, startPermissionHouse } from '../house/permission-start';
import type { ClusterKind, House } from '../support/house';

const AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-view';
const RBAC = 'rbac.authorization.k8s.io/v1';
const TEAM = 'example.com/team';
const OTHERS = ['tier', 'zone', TEAM];
const at = ({ ns }: House) => ({ ...KINDS.application, namespace: ns, name: 'web' });
const aRole = ({ ns }: House) => ({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: `read-${ns}` }, rules: [] });
const components = (objects: readonly object[]) => [{ name: 'set', type: 'k8s-objects', properties: { objects } }];

async function createAs(house: House, person: Person, objects: readonly object[], labels: Record<string, string> = {}): Promise<void> {
  const metadata = { name: 'web', namespace: house.ns, labels };
  await house.cluster.as(person).create({ ...KINDS.application, metadata, spec: { components: components(objects) } } as KubeObject);
}
/** What somebody writes who wants another to answer for it. */
const forgedFor = ({ user }: Person) => ({
  [LABELLED_NAMES.names]: `* ${user}\nlabels/${AGGREGATE} ${user}\nlabels/tier ${user}\nannotations/${TEAM} ${user}`,
  [LABELLED_NAMES.groups]: `${user}\tsystem:masters`,
});
const patchAs = (house: House, person: Person, body: object) => house.cluster.as(person).patch(at(house), { type: 'merge', body });
const change = (house: House, person: Person, objects: readonly object[]) =>
  patchAs(house, person, { spec: { components: components(objects) } });
const onRecord = ({ record }: House, action: string) => [...record.values()].filter((entry) => entry.action === action);
const labelled = async (house: House) => getCondition((await house.get(KINDS.application, 'web')) ?? aRole(house), 'Labelled');

/** What people try by the labels and annotations of an application that holds what they may not write. */
export function defineLabelRights(clusterKind: ClusterKind): void {
  describe(`labels and annotations on the ${clusterKind} cluster`, () => {
    it.each([
      ['label', 'labels', AGGREGATE, 'true'],
      ['annotation', 'annotations', 'example.com/owner', 'eve'],
    ] as const)(
      '[issue 10, 1] reach only what whoever wrote them may write, whoever makes the next change: %s',
      async (_what, member, name, value) => {
        await using house = await startPermissionHouse(clusterKind);
        const { ann, root } = peopleOf(house);
        const role = aRole(house);
        const wordOn = async () =>
          (await house.get({ apiVersion: RBAC, kind: 'ClusterRole' }, role.metadata.name))?.metadata[member]?.[name];
        await createAs(house, root, [role]);
        await applied(house, 'web-v1');
        const forged = { [LABELLED_BY.user]: root.user, [LABELLED_BY.groups]: 'system:masters' };
        const words = { [name]: value };
        const metadata = member === 'labels' ? { labels: words, annotations: forged } : { annotations: { ...words, ...forged } };
        const written = await patchAs(house, ann, { metadata });
        expect(written.metadata.annotations?.[LABELLED_BY.user]).toBe(ann.user);
        await change(house, root, [role, configMap('more', { a: '1' })]);
        await applied(house, 'web-v2');
        expect(await wordOn()).toBeUndefined();
        expect(await labelled(house)).toMatchObject({
          status: 'False',
          message: expect.stringMatching(
            new RegExp(
              `^${name} of Application web in ${house.ns}, changed by ${ann.user}, is not propagated to its objects, .* may not patch ClusterRole`,
            ),
          ),
        });
        // Ann goes on changing what she may, and root what is theirs: neither is held for the other.
        await change(house, ann, [role, configMap('more', { a: '2' })]);
        await applied(house, 'web-v3');
        expect(await wordOn()).toBeUndefined();

        await patchAs(house, root, { metadata: { [member]: { [name]: null } } });
        await patchAs(house, root, { metadata: { [member]: words } });
        await change(house, ann, [role, configMap('more', { a: '3' })]);
        await applied(house, 'web-v4');
        expect(await wordOn()).toBe(value);
        expect(await labelled(house)).toMatchObject({ status: 'True' });
        // Whose they are is on record, whoever requested the revision that they came with; so is, once, that Ann tried.
        expect(onRecord(house, 'application.labels.refused').map(({ actor, message }) => [actor, message.startsWith(name)])).toEqual([
          [ann.user, true],
        ]);
        expect(onRecord(house, 'application.labels').map(({ actor, message }) => [actor, message])).toEqual([
          [root.user, `${name} of Application web in ${house.ns} is propagated to its objects with web-v4`],
        ]);
        expect(onRecord(house, 'revision.created').at(-1)?.message).toContain(`, requested by ${ann.user}`);
      },
    );

    it('[issue 10, 1] reach only what whoever wrote them may write, also where somebody else changed another one after them, and hold nobody else’s', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const role = aRole(house);
      const wordsOn = async () => {
        const { labels = {}, annotations = {} } =
          (await house.get({ apiVersion: RBAC, kind: 'ClusterRole' }, role.metadata.name))?.metadata ?? {};
        return Object.fromEntries(Object.entries({ ...labels, ...annotations }).filter(([name]) => [AGGREGATE, ...OTHERS].includes(name)));
      };
      await createAs(house, root, [role], { tier: 'front', zone: 'a' });
      await applied(house, 'web-v1');
      expect(await wordsOn()).toEqual({ tier: 'front', zone: 'a' });

      await patchAs(house, ann, { metadata: { labels: { [AGGREGATE]: 'true', tier: null } } });
      await patchAs(house, root, { metadata: { labels: { zone: 'b' }, annotations: { [TEAM]: 'core', ...forgedFor(root) } } });
      await change(house, root, [role, configMap('more', { a: '1' })]);
      await applied(house, 'web-v2');
      expect(await wordsOn()).toEqual({ tier: 'front', zone: 'b', [TEAM]: 'core' });

      await patchAs(house, root, { metadata: { labels: { zone: 'c' } } });
      await patchAs(house, ann, { metadata: { annotations: { [TEAM]: 'eve', ...forgedFor(root) } } });
      await change(house, root, [role, configMap('more', { a: '2' })]);
      await applied(house, 'web-v3');
      expect(await wordsOn()).toEqual({ tier: 'front', zone: 'c', [TEAM]: 'core' });
      const { status, message = '' } = (await labelled(house)) ?? {};
      expect([status, message.split(' of ')[0]]).toEqual(['False', `${TEAM}, ${AGGREGATE}, tier`]);
      expect(message).toContain(`changed by ${ann.user}, are not propagated`);

      // Whoever may has them as they are by writing each anew.
      await patchAs(house, root, { metadata: { labels: { [AGGREGATE]: null, tier: 'back' }, annotations: { [TEAM]: 'edge' } } });
      await change(house, ann, [role, configMap('more', { a: '3' })]);
      await applied(house, 'web-v4');
      expect(await wordsOn()).toEqual({ tier: 'back', zone: 'c', [TEAM]: 'edge' });
      expect(await labelled(house)).toMatchObject({ status: 'True' });
      expect(onRecord(house, 'application.labels').map(({ actor, data }) => [actor, data])).toEqual([
        [root.user, { names: [TEAM, 'zone'] }],
        [root.user, { names: ['zone'] }],
        [root.user, { names: [TEAM, 'tier'] }],
      ]);
    });

    it('[issue 10, 1] are on record in the name of whoever wrote them, with the revision by which they reach objects', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const named = () => onRecord(house, 'application.labels').map(({ actor, data }) => [actor, data]);
      await createAs(house, root, [configMap('plain', { a: '1' })], { tier: 'front' });
      await applied(house, 'web-v1');
      await patchAs(house, ann, { metadata: { labels: { tier: 'back', zone: 'a' } } });
      await change(house, root, [configMap('plain', { a: '2' })]);
      await applied(house, 'web-v2');
      await change(house, root, [configMap('plain', { a: '3' })]);
      await applied(house, 'web-v3');
      expect(named()).toEqual([[ann.user, { names: ['tier', 'zone'] }]]);
    });

    it('[issue 10, 1] are noted with whoever wrote them, which nobody can set or take away; ours and those of kubectl are not', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const noted = async () => (await house.cluster.get(at(house))).metadata.annotations?.[LABELLED_BY.user];
      await createAs(house, root, [configMap('plain', {})]);
      expect(await noted()).toBeUndefined();
      await patchAs(house, ann, {
        metadata: { annotations: { [LABELLED_BY.user]: root.user, 'slipway.dev/put-back': 'any', 'kubectl.kubernetes.io/any': 'x' } },
      });
      expect(await noted()).toBeUndefined();
      await patchAs(house, ann, { metadata: { labels: { tier: 'front' } } });
      expect(await noted()).toBe(ann.user);
      await patchAs(house, root, { metadata: { annotations: { [LABELLED_BY.user]: root.user, [LABELLED_BY.groups]: null } } });
      expect(await noted()).toBe(ann.user);
      await patchAs(house, root, { metadata: { labels: { tier: null } } });
      expect(await noted()).toBe(root.user);
      const lines = async () => (await house.cluster.get(at(house))).metadata.annotations?.[LABELLED_NAMES.names]?.split('\n').sort();
      expect(await lines()).toEqual([`labels/tier ${root.user}`]);
      await patchAs(house, ann, { metadata: { annotations: { 'example.com/a': 'x', ...forgedFor(root) } } });
      expect(await lines()).toEqual([`annotations/example.com/a ${ann.user}`, `labels/tier ${root.user}`]);
      await patchAs(house, root, { metadata: { annotations: { [LABELLED_NAMES.names]: null, [LABELLED_NAMES.groups]: null } } });
      expect(await lines()).toHaveLength(2);
      const named = (from: number, to: number, value: string | null) =>
        Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`l${from + at}`, value]));
      await patchAs(house, ann, { metadata: { labels: named(0, 200, '1') } });
      await patchAs(house, ann, { metadata: { labels: named(0, 200, null) } });
      expect(await lines()).toHaveLength(202);
      await patchAs(house, root, { metadata: { labels: named(200, 300, '1') } });
      expect((await lines())?.filter((line) => !line.startsWith('labels/l'))).toEqual(['-', `annotations/example.com/a ${ann.user}`]);
      expect(await lines()).toHaveLength(102);
      const tabbed = { user: `ann\tx-${house.ns}`, groups: [] };
      await house.cluster.create({
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { name: 'tabbed', namespace: house.ns },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'author' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: tabbed.user }],
      } as KubeObject);
      await house.until('a name of several parts is refused', () =>
        patchAs(house, tabbed, { metadata: { labels: { tier: 'x' } } }).then(
          () => false,
          (error: unknown) => messageOf(error).includes('must not contain a line break or a tab'),
        ),
      );
      await expect(patchAs(house, root, { metadata: { labels: named(300, 600, '1') } })).rejects.toThrow('at most 256');
      await house.until('what Ann may write bears her labels', async () => {
        await patchAs(house, ann, { metadata: { labels: { tier: 'back' } } });
        await change(house, ann, [configMap('plain', { a: '2' })]);
        return (await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'plain'))?.metadata.labels?.tier === 'back';
      });
    });
  });
}
