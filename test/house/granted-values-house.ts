import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { KINDS, SECRET, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { toReference, VALUES_TYPE } from '@/server/application/values/reference';
import { realClock } from '@/server/platform';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';

const HOUR_MS = 60 * 60_000;
/** How long a grant may take until it is noticed. */
const NOTICED_MS = 60_000;

const valuesNamed = (name: string): KubeObject => ({
  ...SECRET,
  metadata: { name, labels: { [VALUES_OF]: 'web' } },
  type: VALUES_TYPE,
  immutable: true,
  data: { token: 'dW5sb2NrZWQ=' },
});
const web: KubeObject = {
  ...KINDS.application,
  metadata: { name: 'web' },
  spec: {
    components: [
      {
        name: 'job',
        type: 'worker',
        properties: {
          image: 'job:1',
          env: [{ name: 'TOKEN', sensitive: true, ...toReference({ name: 'web-values-used', key: 'token' }) }],
        },
      },
    ],
  },
};

/** A house with the server's own role; what its engines take for now can be put forward, also on a real cluster. */
async function start(clusterKind: ClusterKind): Promise<{ readonly house: House; passHour(touch: () => Promise<unknown>): Promise<void> }> {
  let aheadMs = 0;
  const clock = { ...realClock, now: () => toInstant(realClock.now() + aheadMs) };
  const house = await startHouse({ clusterKind, asServer: true, nodes: 0, ...(clusterKind === 'real' ? { clock } : {}) });
  return {
    house,
    async passHour(touch) {
      if (clusterKind === 'embedded') return house.advance(HOUR_MS);
      aheadMs += HOUR_MS;
      await touch(); // timers run by real time, so something must ask for a look
    },
  };
}

/** Secrets with values in namespaces that were granted to a server with its own role. */
export function defineGrantedValues(clusterKind: ClusterKind): void {
  describe(`Secrets with values where the server has its own role (${clusterKind})`, () => {
    it('[issue 10.1] are owned by their application and go an hour after nothing refers to them, from a minute after a later grant on', async () => {
      const { house, passHour } = await start(clusterKind);
      await using _ending = house;
      await house.apply(valuesNamed('web-values-used'));
      await house.apply(valuesNamed('web-values-unused'));
      const { metadata } = await house.apply(web);
      const held = async (name: string) => house.get(SECRET, name);
      await house.until(
        'the application waits',
        async () => getCondition((await house.get(KINDS.application, 'web')) ?? web, 'Applied')?.reason === 'NotGranted',
      );
      expect((await held('web-values-used'))?.metadata.ownerReferences).toBeUndefined();

      for (const object of grantObjects(house.ns)) await house.cluster.create(object);
      const isOwned = async () =>
        (await held('web-values-used'))?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
      await house.until('its Secret is owned', isOwned, NOTICED_MS);
      expect((await held('web-values-unused'))?.metadata.ownerReferences).toBeUndefined();
      const copies = house.informers.all().find(({ scope }) => scope.labelSelector === VALUES_OF);
      expect(copies?.health().watchedIn).toEqual([house.ns]);

      const at = { ...SECRET, namespace: house.ns, name: 'web-values-unused' };
      const touch = () => house.cluster.patch(at, { type: 'merge', body: { metadata: { annotations: { touched: 'now' } } } });
      await passHour(touch);
      await house.until('the unused one is gone', async () => (await held('web-values-unused')) === undefined, NOTICED_MS);
      expect(await held('web-values-used')).toBeDefined();
      expect([...house.record.values()].filter(({ action }) => action === 'values.deleted')).toHaveLength(1);
    });
  });
}
