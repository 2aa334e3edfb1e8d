import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Person } from '@/server/kube';
import { isConflict } from '@/server/kube';
import { applied, configMap, peopleOf, refusal, startPermissionHouse } from '../house/permission-start';
import type { ClusterKind, House } from '../support/house';

type Spec = { readonly components: readonly object[]; readonly policies?: readonly object[] };

const holding = (objects: readonly object[], ...policies: readonly object[]): Spec => ({
  components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }],
  policies,
});
const policy = (type: string, properties: object) => ({ name: type, type, properties });
const onThere = { selector: { resourceNames: ['there'] } };
const READ_ONLY = policy('read-only', { rules: [onThere] });
const TAKE_OVER = policy('take-over', { rules: [onThere] });
const ONCE = policy('apply-once', { enable: true });
const KEEPS_DATA = policy('apply-once', { enable: true, rules: [{ ...onThere, strategy: { path: ['data'], affect: 'always' } }] });
const KEEPS_LEGACY = policy('garbage-collect', { keepLegacyResource: true });
const NEVER_GOES = policy('garbage-collect', { rules: [{ ...onThere, strategy: 'never' }] });

const AT = (house: House, name = 'web') => ({ ...KINDS.application, namespace: house.ns, name });

async function createAs(house: House, person: Person, spec: Spec): Promise<void> {
  await house.cluster.as(person).create({ ...KINDS.application, metadata: { name: 'web', namespace: house.ns }, spec } as KubeObject);
}

/** Each way by which a spec can come to be another one. */
const WAYS: Readonly<Record<string, (house: House, person: Person, spec: Spec) => Promise<unknown>>> = {
  'kubectl patch': (house, person, spec) => house.cluster.as(person).patch(AT(house), { type: 'merge', body: { spec } }),
  'a JSON patch': (house, person, spec) =>
    house.cluster.as(person).patch(AT(house), { type: 'json', body: [{ op: 'replace', path: '/spec', value: spec }] }),
  'server-side apply': (house, person, spec) => {
    const body = { ...KINDS.application, metadata: { name: 'web', namespace: house.ns }, spec } as KubeObject;
    return house.cluster.as(person).patch(AT(house), { type: 'apply', body }, { fieldManager: 'gitops', force: true });
  },
  'kubectl replace': async (house, person, spec) => {
    for (;;) {
      try {
        return await house.cluster.as(person).update({ ...(await house.cluster.get(AT(house))), spec });
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  },
};
const change = (house: House, person: Person, spec: Spec) => WAYS['kubectl patch']?.(house, person, spec);

/** The object in the other namespace, which root may write and Ann may not. */
const there = ({ ns }: House, a = '1') => configMap('there', { a }, `${ns}-other`);
const mine = configMap('mine', { a: '1' });
const valueThere = async (house: House) =>
  readString(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'there', `${house.ns}-other`), 'data', 'a');
const edit = (house: House, a: string) =>
  house.cluster.patch(toAddress(there(house) as KubeObject), { type: 'merge', body: { data: { a } } });

/** The engine has done what the application says now. */
const heeded = (house: House) =>
  house.until('it is done', async () => {
    const object = await house.get(KINDS.application, 'web');
    return (
      readNumber(object, 'status', 'observedGeneration') === object?.metadata.generation &&
      readString(object, 'status', 'status') === 'running'
    );
  });

interface Attack {
  /** What root has made of the application. */
  readonly start: (house: House) => Promise<void>;
  /** What it says after the attack; also when root says it. */
  readonly to: (house: House) => Spec;
  readonly refused: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'read-only off': {
    start: async (house) => {
      await house.cluster.create(there(house, 'found') as KubeObject);
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], READ_ONLY, TAKE_OVER));
      await applied(house, 'web-v1');
    },
    to: (house) => holding([mine, there(house)], TAKE_OVER),
    refused: 'may not create ConfigMap there',
    before: 'found',
    after: '1',
  },
  'read-only, which was added since, off again': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)]));
      await applied(house, 'web-v1');
      await change(house, peopleOf(house).root, holding([mine, there(house)], READ_ONLY));
      await heeded(house);
      await edit(house, 'found');
    },
    to: (house) => holding([mine, there(house)]),
    refused: 'may not create ConfigMap there',
    before: 'found',
    after: '1',
  },
  'take-over on': {
    start: async (house) => {
      await house.cluster.create(there(house, 'found') as KubeObject);
      await createAs(house, peopleOf(house).root, holding([mine, there(house)]));
      await house.until('it is held', async () => readString(await house.get(KINDS.application, 'web'), 'status', 'status') === 'held');
    },
    to: (house) => holding([mine, there(house)], TAKE_OVER),
    refused: 'may not take over ConfigMap there',
    before: 'found',
    after: '1',
  },
  'apply-once off': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], ONCE));
      await applied(house, 'web-v1');
      await edit(house, 'found');
    },
    to: (house) => holding([mine, there(house)]),
    refused: 'may not create ConfigMap there',
    before: 'found',
    after: '1',
  },
  'a path of apply-once dropped': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], KEEPS_DATA));
      await applied(house, 'web-v1');
      await edit(house, 'found');
    },
    to: (house) => holding([mine, there(house)]),
    refused: 'may not patch ConfigMap there',
    before: 'found',
    after: '1',
  },
  'what is applied once, applied once more by a change of something else': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], ONCE));
      await applied(house, 'web-v1');
      await edit(house, 'found');
    },
    to: (house) => holding([configMap('mine', { a: '2' }), there(house)], ONCE),
    refused: 'may not create ConfigMap there',
    before: 'found',
    after: '1',
  },
  'garbage that is kept let go': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], KEEPS_LEGACY));
      await applied(house, 'web-v1');
      await change(house, peopleOf(house).root, holding([mine], KEEPS_LEGACY));
      await applied(house, 'web-v2');
    },
    to: () => holding([mine]),
    refused: 'may not delete ConfigMap there',
    before: '1',
    after: undefined,
  },
  'what a rule never lets go given up': {
    start: async (house) => {
      await createAs(house, peopleOf(house).root, holding([mine, there(house)], NEVER_GOES));
      await applied(house, 'web-v1');
    },
    to: (house) => holding([mine, there(house)]),
    refused: 'may not delete ConfigMap there',
    before: '1',
    after: '1',
  },
};

/** An application that holds another one with these objects. */
const around = (objects: readonly object[], ...policies: readonly object[]): Spec =>
  holding([{ ...KINDS.application, metadata: { name: 'inner' }, spec: holding(objects, ...policies) }]);

/** Outer and inner one are done, by root. */
async function startAround(house: House, ...policies: readonly object[]): Promise<void> {
  await createAs(house, peopleOf(house).root, around([mine, there(house)], ...policies));
  await applied(house, 'inner-v1', 'inner');
  await applied(house, 'web-v1');
}

const isPermitted = async (house: House) => {
  const object = await house.get(KINDS.application, 'web');
  return object !== undefined && getCondition(object, 'Applied')?.reason !== 'NotPermitted';
};

/** What people try by a change of policies that they may not do to the objects themselves. */
export function definePolicyRights(clusterKind: ClusterKind): void {
  describe(`a policy on the ${clusterKind} cluster`, () => {
    it.each(Object.entries(ATTACKS))(
      '[issue 10, 1] gives nobody more than their rights: %s',
      async (_what, { start, to, refused, before, after }) => {
        await using house = await startPermissionHouse(clusterKind);
        const { ann, root } = peopleOf(house);
        await start(house);
        await change(house, ann, to(house));
        expect(await refusal(house)).toContain(`${ann.user} ${refused} in ${house.ns}-other`);
        expect(await valueThere(house)).toBe(before);
        const refusals = [...house.record.values()].filter(({ action }) => action === 'application.change.refused');
        expect(refusals.map(({ actor, message }) => [actor, message.includes(refused)])).toEqual([[ann.user, true]]);
        // Whoever has the rights makes the same change, though Ann's is what the cluster holds.
        await change(house, root, {
          ...to(house),
          policies: [...(to(house).policies ?? []), policy('garbage-collect', { applicationRevisionLimit: 9 })],
        });
        await house.until('it is done', async () => (await valueThere(house)) === after && (await isPermitted(house)));
        const followed = [...house.record.values()].filter(({ action }) => ['application.policies', 'revision.created'].includes(action));
        expect(followed.at(-1)?.message).toContain(`, requested by ${root.user}`);
      },
    );

    it('[issue 10, 1] is changed by whoever may write what it is about, whatever else the application holds', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      const onMine = policy('read-only', { rules: [{ selector: { resourceNames: ['mine'] } }] });
      await createAs(house, root, holding([mine, there(house)]));
      await applied(house, 'web-v1');
      await change(house, ann, holding([mine, there(house)], onMine));
      await heeded(house);
      await house.cluster.patch(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: house.ns, name: 'mine' },
        { type: 'merge', body: { data: { a: 'found' } } },
      );
      await change(house, ann, holding([mine, there(house)]));
      await house.until(
        'it is put back',
        async () => readString(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'mine'), 'data', 'a') === '1',
      );
    });

    it.each(Object.entries(WAYS))('[issue 10, 1] is asked about whichever way it is changed: %s', async (_way, by) => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann } = peopleOf(house);
      const attack = ATTACKS['read-only off'];
      await attack?.start(house);
      await by(house, ann, holding([mine, there(house)], TAKE_OVER));
      expect(await refusal(house)).toContain(`${ann.user} may not create ConfigMap there in ${house.ns}-other`);
      expect(await valueThere(house)).toBe('found');
    });

    it.each(['{"rules":', '{}', 'null', '"read-only"'])(
      '[issue 10.1] cannot be switched off where what was permitted last cannot be read any more: %s',
      async (unreadable) => {
        await using house = await startPermissionHouse(clusterKind);
        const { ann, root } = peopleOf(house);
        await createAs(house, root, holding([mine, there(house)]));
        await applied(house, 'web-v1');
        await change(house, root, holding([mine, there(house)], READ_ONLY));
        await heeded(house);
        await edit(house, 'found');
        const noted = async (text: string | null) =>
          house.cluster.patch(
            { ...KINDS.applicationRevision, namespace: house.ns, name: 'web-v1' },
            { type: 'merge', body: { metadata: { annotations: { 'slipway.dev/permitted-policies': text } } } },
          );
        const before = (await house.get(KINDS.applicationRevision, 'web-v1'))?.metadata.annotations?.['slipway.dev/permitted-policies'];
        await noted(unreadable);
        const told = async () => {
          const object = await house.get(KINDS.application, 'web');
          const found = object && getCondition(object, 'Applied');
          return found?.reason === 'PermissionUnreadable' ? found.message : undefined;
        };
        const saysWhy = () =>
          house.until('it says why', async () => {
            const object = await house.get(KINDS.application, 'web');
            return (await told()) !== undefined && readNumber(object, 'status', 'observedGeneration') === object?.metadata.generation;
          });
        for (const person of [ann, root]) {
          await change(
            house,
            person,
            holding([mine, there(house)], policy('garbage-collect', { applicationRevisionLimit: person === ann ? 8 : 9 })),
          );
          await saysWhy();
          expect(await valueThere(house)).toBe('found');
        }
        expect(await told()).toContain(`ApplicationRevision web-v1 in ${house.ns}`);
        await change(house, ann, holding([mine, there(house)]));
        // Were the note readable before the engine has seen this, it would rightly carry out what root asked for.
        await saysWhy();
        await noted(before ?? null);
        expect(await refusal(house)).toContain(`${ann.user} may not create ConfigMap there in ${house.ns}-other`);
        expect(await valueThere(house)).toBe('found');
        await change(house, root, holding([configMap('mine', { a: '2' }), there(house)]));
        await house.until('it is done', async () => (await valueThere(house)) === '1');
      },
    );

    it.each([
      ['what it no longer holds', (_house: House) => around([mine]), 'may not delete ConfigMap there'],
      ['what it holds otherwise', (house: House) => around([mine, there(house, '2')]), 'may not patch ConfigMap there'],
    ])('[issue 10, 1] of an application in another binds whoever changes the outer one: %s', async (_what, to, refused) => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      await startAround(house);
      await change(house, ann, to(house));
      expect(await refusal(house)).toContain(`${ann.user} ${refused} in ${house.ns}-other`);
      expect(await valueThere(house)).toBe('1');
      await change(house, ann, around([configMap('mine', { a: '2' }), there(house)]));
      await applied(house, 'inner-v2', 'inner');
      await change(house, root, around([mine]));
      await house.until('it goes', async () => (await valueThere(house)) === undefined);
    });

    it('[issue 10, 1] and what it holds is asked of the requester also while policies cannot be read, as when the API server restarts', async () => {
      const UNREAD = 'decisions are refused while ValidatingAdmissionPolicyBinding applications.slipway.dev cannot be read';
      let reason: string | null = null;
      await using house = await startPermissionHouse(clusterKind, { decisionsBlockedReason: () => reason });
      const { ann, root } = peopleOf(house);
      const door = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'door' }, spec: { ports: [{ port: 80 }] } };
      const isOpen = async () => (await house.get({ apiVersion: 'v1', kind: 'Service' }, 'door')) !== undefined;
      await createAs(house, ann, holding([door]));
      expect(await refusal(house)).toContain(`${ann.user} may not create Service door`);
      reason = UNREAD;
      await change(house, ann, holding([door, mine]));
      await house.until('it is looked at again', async () => {
        const object = await house.get(KINDS.application, 'web');
        return readNumber(object, 'status', 'observedGeneration') === object?.metadata.generation;
      });
      expect(await refusal(house)).toContain(`${ann.user} may not create Service door`);
      expect(await isOpen()).toBe(false);
      // Whoever may goes on, within the namespace.
      await change(house, root, holding([door, configMap('mine', { a: '2' })]));
      await house.until('it is there', isOpen);
    });

    it('[issue 10, 1] of an application in another starts a rollout in the name of whoever changed the outer one, who may not approve it themselves', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { robot } = peopleOf(house);
      const rollout = policy('rollout', { component: 'front', control: { approvals: { allowSelf: false } } });
      const front = { name: 'front', type: 'worker', properties: { image: 'web:1' } };
      const inner = { ...KINDS.application, metadata: { name: 'inner' }, spec: { components: [front], policies: [rollout] } };
      await createAs(house, robot, holding([inner]));
      const requester = async () =>
        (await house.get(KINDS.rolloutOrchestrator, 'inner'))?.metadata.annotations?.['slipway.dev/requested-by'];
      await house.until('it rolls out', async () => (await requester()) !== undefined);
      expect(await requester()).toBe(robot.user);
    });

    it('[issue 10, 1] of an application in another is asked of the requester of the outer one, also where nothing in the cluster tells of it any more', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const { ann, root } = peopleOf(house);
      await startAround(house, KEEPS_LEGACY);
      await change(house, root, around([mine], KEEPS_LEGACY));
      await applied(house, 'inner-v2', 'inner');
      await change(house, ann, around([mine]));
      expect(await refusal(house, 'inner')).toContain(`${ann.user} may not delete ConfigMap there in ${house.ns}-other`);
      const unmarked = { metadata: { labels: { 'app.oam.dev/name': null, 'app.oam.dev/namespace': null }, ownerReferences: null } };
      await house.cluster.as(ann).patch(AT(house, 'inner'), { type: 'merge', body: unmarked });
      expect(await refusal(house, 'inner')).toContain(`${ann.user} may not delete ConfigMap there in ${house.ns}-other`);
      expect(await valueThere(house)).toBe('1');
      await change(house, root, around([configMap('mine', { a: '2' })]));
      await house.until('it goes', async () => (await valueThere(house)) === undefined);
    });
  });
}
