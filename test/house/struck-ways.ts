import { readField, readString } from '@/lib/kube/fields';
import { KINDS, PUT_BACK } from '@/lib/kube/kinds';
import { requestRevert } from '@/server/application';
import { rolloutDigest } from '@/server/rollout';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { isBackAgain, isWaitingAt } from '../support/told';
import type { Way } from './struck-house';
import { isAtRest } from './struck-house';

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

async function decide(house: House, spec: object): Promise<void> {
  await house.cluster
    .as(ANN)
    .create({ ...KINDS.stageDecision, metadata: { generateName: 'web-', namespace: house.ns }, spec: { ...spec, actor: ANN } });
}

async function rolloutOf(house: House) {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  if (rollout === undefined) throw new Error('there is no rollout');
  return rollout;
}

const NEXT = { replicas: 2, image: 'registry.example.com/web:2', configMaps: ['a'], gates: 'every-stage' } as const;

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
      const { uid } = (await application(house)).metadata;
      await decide(house, { applicationRef: { name: 'web', uid }, verb: 'approve', seen: { garbage: digest }, garbage: { count: 20 } });
    },
    isDone: isGone,
  },
  'an abort at a gate': {
    first: aStorefront({ ...NEXT, image: 'registry.example.com/web:1' }),
    async act(scene) {
      await scene.house.apply(aStorefront(NEXT));
      await scene.until('it waits at its gate', async () => isWaitingAt(await rolloutOf(scene.house), 1));
      const rollout = await rolloutOf(scene.house);
      const { uid } = rollout.metadata;
      await decide(scene.house, {
        rolloutRef: { name: 'web', uid },
        verb: 'abort',
        revision: 'web-v2',
        reason: 'errors',
        seen: { rollout: rolloutDigest(rollout) },
      });
    },
    isDone: async (house) => isBackAgain(await rolloutOf(house)),
  },
  'an approval at a gate': {
    first: aStorefront({ ...NEXT, image: 'registry.example.com/web:1' }),
    async act(scene) {
      await scene.house.apply(aStorefront(NEXT));
      await scene.until('it waits at its gate', async () => isWaitingAt(await rolloutOf(scene.house), 1));
      const rollout = await rolloutOf(scene.house);
      const { uid } = rollout.metadata;
      const seen = { rollout: rolloutDigest(rollout) };
      await decide(scene.house, { rolloutRef: { name: 'web', uid }, verb: 'approve', stage: 1, revision: 'web-v2', seen });
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
