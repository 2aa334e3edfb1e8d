import { describe, expect, it } from 'vitest';
import type { DeletionPolicy } from '@/lib/contract/acts/application-deletion';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { DeletionPlan } from '@/server/application';
import { withPreviewedDeletion } from '@/server/application';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' } as const;
const claim = {
  ...CLAIM,
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const holding = (names: readonly string[], more: readonly object[] = []) => ({
  ...KINDS.application,
  metadata: { name: 'web' },
  spec: {
    components: [
      {
        name: 'set',
        type: 'k8s-objects',
        properties: { objects: [...names.map((name) => ({ ...CONFIG, metadata: { name }, data: { a: '1' } })), ...more] },
      },
    ],
  },
});
const application = (house: House) => house.get(KINDS.application, 'web');
const runs = (house: House) =>
  house.until('web-v1 runs', async () => readString(await application(house), 'status', 'latestRevision', 'name') === 'web-v1');
const isGone = (house: House) => house.until('the application is gone', async () => (await application(house)) === undefined);
const ids = (plan: DeletionPlan, verdict: string) => plan.items.flatMap(({ item }) => (item.verdict === verdict ? item.id : [])).sort();
const heldBy = async (house: House) => {
  const conditions = readField(await application(house), 'status', 'conditions') as
    | { type: string; reason: string; message: string }[]
    | undefined;
  return conditions?.find(({ type, reason }) => type === 'Collected' && reason === 'Held')?.message;
};

async function see(house: House, fate: DeletionPolicy): Promise<DeletionPlan> {
  const held = await application(house);
  if (held === undefined) throw new Error('there is no application');
  return house.planDeletion(held, fate);
}

/** Deletes it as the console does: what was seen is written first. */
async function end(house: House, fate: DeletionPolicy, digest: string): Promise<void> {
  const held = await application(house);
  if (held === undefined) throw new Error('there is no application');
  await house.cluster.update(withPreviewedDeletion(held, { objects: fate, digest }));
  await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
}

describe('the end of an application', () => {
  it('[issue 14.1] deletes exactly what was shown, and what a decision would have to name stays', async () => {
    await using house = await startHouse();
    await house.apply(holding(['a', 'b'], [claim]));
    await runs(house);
    const plan = await see(house, 'delete');
    expect([ids(plan, 'deleted'), ids(plan, 'held'), plan.held]).toEqual([
      [`ConfigMap/${house.ns}/a`, `ConfigMap/${house.ns}/b`],
      [`PersistentVolumeClaim/${house.ns}/data`],
      undefined,
    ]);
    await end(house, 'delete', plan.digest);
    await isGone(house);
    expect(await house.get(CONFIG, 'a')).toBeUndefined();
    expect(await house.get(CLAIM, 'data')).toBeDefined();
    const deleted = [...house.record.values()].flatMap(({ action, message }) =>
      action === 'garbage.deleted' ? message.split(' ')[0] : [],
    );
    expect(deleted.sort()).toEqual(ids(plan, 'deleted'));
  });

  it('[issue 14.1] keeps every object where that was shown: they lose the labels of the application and their record, and live on', async () => {
    await using house = await startHouse();
    await house.apply(holding(['a', 'b', 'c', 'd', 'e', 'f']));
    await runs(house);
    const { uid } = (await house.get(CONFIG, 'a'))?.metadata ?? {};
    const plan = await see(house, 'keep');
    expect([ids(plan, 'deleted'), ids(plan, 'kept').length, plan.held]).toEqual([[], 6, undefined]);
    await end(house, 'keep', plan.digest);
    await isGone(house);
    const kept = await house.get(CONFIG, 'a');
    expect(kept?.metadata.uid).toBe(uid);
    expect(Object.keys(kept?.metadata.labels ?? {})).not.toContain('app.oam.dev/name');
    expect(await house.get(KINDS.resourceTracker, `web-v1-${house.ns}`)).toBeUndefined();
    expect([...house.record.values()].find(({ action }) => action === 'application.deleted')?.message).toContain('its objects stay');
  });

  it('[design 14] deletes nothing where the plan is not what was seen, until an approval names the new one', async () => {
    await using house = await startHouse();
    await house.apply(holding(['a', 'b']));
    await runs(house);
    const plan = await see(house, 'delete');
    // Somebody puts another object there than the one that was seen to go.
    const at = { ...CONFIG, namespace: house.ns, name: 'a' };
    await house.cluster.delete(at);
    await house.cluster.create({ ...CONFIG, metadata: { name: 'a', namespace: house.ns } });
    const { digest } = await see(house, 'delete');
    expect(digest).not.toBe(plan.digest);
    await end(house, 'delete', plan.digest);
    await house.until('it is held', async () => (await heldBy(house)) !== undefined);
    expect(await heldBy(house)).toContain('is not what was seen when the deletion was requested');
    await house.advance(60_000);
    expect(await house.get(CONFIG, 'b')).toBeDefined();
    await approve(house, digest, 1);
    await isGone(house);
    expect([(await house.get(CONFIG, 'a')) === undefined, await house.get(CONFIG, 'b')]).toEqual([false, undefined]);
  });

  it('[issue 9.4] deletes what the engine made anew meanwhile as it was seen', async () => {
    await using house = await startHouse();
    await house.apply(holding(['a', 'b']));
    await runs(house);
    const plan = await see(house, 'delete');
    await house.cluster.delete({ ...CONFIG, namespace: house.ns, name: 'a' });
    await house.until('its engine made it anew', async () => {
      const { uid } = (await house.get(CONFIG, 'a'))?.metadata ?? {};
      return uid !== undefined && uid !== plan.items.find(({ item }) => item.id.endsWith('/a'))?.item.uid;
    });
    await end(house, 'delete', plan.digest);
    await isGone(house);
    expect([await house.get(CONFIG, 'a'), await house.get(CONFIG, 'b')]).toEqual([undefined, undefined]);
  });

  it('[issue 14.1] foretells that many objects wait for an approval, and takes one that comes before the deletion is heard of', async () => {
    await using house = await startHouse();
    await house.apply(holding(['a', 'b', 'c', 'd', 'e', 'f']));
    await runs(house);
    const plan = await see(house, 'delete');
    expect(plan).toMatchObject({ held: expect.stringContaining('6 of 6 objects'), approval: { isApprovable: true, required: 1 } });
    await end(house, 'delete', plan.digest);
    await approve(house, plan.digest, 6);
    await isGone(house);
    expect(await house.get(CONFIG, 'f')).toBeUndefined();
  });
});

async function approve(house: House, digest: string, count: number): Promise<void> {
  const { uid } = (await application(house))?.metadata ?? {};
  const ada = house.cluster.as({ user: 'ada', groups: ['slipway:operators'] });
  await ada.create({
    ...KINDS.stageDecision,
    metadata: { name: 'let-go', namespace: house.ns },
    spec: { applicationRef: { name: 'web', uid }, verb: 'approve', actor: { user: 'ada' }, seen: { garbage: digest }, garbage: { count } },
  });
}
