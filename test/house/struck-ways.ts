import { readField, readString } from '@/lib/kube/fields';
import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import { requestRevert } from '@/server/application';
import { rolloutDigest } from '@/server/rollout';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { isBackAgain, isWaitingAt } from '../support/told';
import type { Scene, Way } from './struck-house';
import { isAtRest, UNHURRIED } from './struck-house';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const ANN = { user: 'ann', groups: ['slipway:operators'] };

const application = async (house: House) => {
  const found = await house.get(KINDS.application, 'web');
  if (found === undefined) throw new Error('there is no application');
  return found;
};

const isGone = async (house: House) =>
  (await house.get(KINDS.application, 'web')) === undefined &&
  (await house.get(KINDS.rolloutOrchestrator, 'web')) === undefined &&
  (await house.get(KINDS.deployment, 'web-v1')) === undefined &&
  (await house.get(KINDS.resourceTracker, `web-v1-${house.ns}`)) === undefined;

const remove = (house: House) => house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });

/** A person decides by what is there, on a cluster that stands: what is told to one that was killed is lost. */
async function decide(scene: Scene, whatOf: (house: House) => Promise<object>): Promise<void> {
  await scene.until('it is decided', async () => {
    const { cluster, ns } = scene.house;
    const what = await whatOf(scene.house);
    if (scene.line().isDead) return false;
    const spec = { ...what, actor: ANN };
    await cluster.as(ANN).create({ ...KINDS.stageDecision, metadata: { generateName: 'web-', namespace: ns }, spec });
    return true;
  });
}

async function rolloutOf(house: House) {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  if (rollout === undefined) throw new Error('there is no rollout');
  return rollout;
}

/** What a decision at a gate of the second revision is about. */
async function gateOf(house: House): Promise<object> {
  const rollout = await rolloutOf(house);
  return { rolloutRef: { name: 'web', uid: rollout.metadata.uid }, revision: 'web-v2', seen: { rollout: rolloutDigest(rollout) } };
}

const NEXT = { ...UNHURRIED, replicas: 2, image: 'registry.example.com/web:2', configMaps: ['a'], gates: 'every-stage' } as const;

/** What else a person has done to an application; `test:long -- faults --way` strikes at every call of one of them. */
export const WAYS: Readonly<Record<string, Way>> = {
  'its deletion': {
    first: aStorefront({ replicas: 2, configMaps: ['a'] }),
    act: ({ house }) => remove(house),
    isDone: isGone,
  },
  'its deletion, with its objects kept': {
    first: aStorefront({ replicas: 2, configMaps: ['a'] }),
    async act({ house }) {
      const { finalizers = [] } = (await application(house)).metadata;
      const body = { metadata: { finalizers: [...finalizers, 'app.oam.dev/orphan-resource'] } };
      await house.cluster.patch({ ...KINDS.application, namespace: house.ns, name: 'web' }, { type: 'merge', body });
      await remove(house);
    },
    isDone: async (house) =>
      (await house.get(KINDS.application, 'web')) === undefined &&
      (await house.get(KINDS.resourceTracker, `web-v1-${house.ns}`)) === undefined,
  },
  'an approval of what a rule holds': {
    first: aStorefront({ replicas: 2, configMaps: ['a', 'b', 'c', 'd', 'e'] }),
    async act(scene) {
      const { house } = scene;
      const { digest } = await house.planDeletion(await application(house), 'delete');
      await remove(house);
      await decide(scene, async (now) => {
        const { uid } = (await application(now)).metadata;
        return { applicationRef: { name: 'web', uid }, verb: 'approve', seen: { garbage: digest }, garbage: { count: 20 } };
      });
    },
    isDone: isGone,
  },
  'an abort at a gate': {
    first: aStorefront({ ...NEXT, image: 'registry.example.com/web:1' }),
    async act(scene) {
      await scene.house.apply(aStorefront(NEXT));
      await scene.until('it waits at its gate', async () => isWaitingAt(await rolloutOf(scene.house), 1));
      await decide(scene, async (house) => ({ ...(await gateOf(house)), verb: 'abort', reason: 'errors' }));
    },
    isDone: async (house) => isBackAgain(await rolloutOf(house)),
  },
  'an approval at a gate': {
    first: aStorefront({ ...NEXT, image: 'registry.example.com/web:1' }),
    async act(scene) {
      await scene.house.apply(aStorefront(NEXT));
      await scene.until('it waits at its gate', async () => isWaitingAt(await rolloutOf(scene.house), 1));
      await decide(scene, async (house) => ({ ...(await gateOf(house)), verb: 'approve', stage: 1 }));
    },
    isDone: (house) => isAtRest(house, 'web-v2'),
  },
  'a revert of one object': {
    first: aStorefront({ replicas: 2, configMaps: ['a'] }),
    async act({ house }) {
      const at = { ...CONFIG_MAP, namespace: house.ns, name: 'a' };
      const next = requestRevert(await application(house), at, ANN);
      await house.cluster.patch(at, { type: 'merge', body: { data: { made: 'by hand' } } });
      const annotations = next?.metadata.annotations ?? {};
      await house.cluster
        .as(ANN)
        .patch({ ...KINDS.application, namespace: house.ns, name: 'web' }, { type: 'merge', body: { metadata: { annotations } } });
    },
    isDone: async (house) =>
      readString(await house.get(CONFIG_MAP, 'a'), 'data', 'made') !== 'by hand' &&
      readField((await application(house)).metadata.annotations, PUT_BACK.asked) === undefined &&
      (await isAtRest(house, 'web-v1')),
  },
};
