import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Rows } from '../server/readmodel/rig';
import { openRows } from '../server/readmodel/rig';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

// A policy that nobody can meet (record 0053), through the API server that stamps who asks, and on the page.

const GROUPS = ['slipway:operators'];

/** Somebody applies the storefront with a quorum. */
async function apply(
  house: House,
  user: string,
  { image, required }: { readonly image: string; readonly required: number },
): Promise<void> {
  const wanted = aStorefront({ image: `registry.example.com/web:${image}`, gates: 'every-stage', control: { approvals: { required } } });
  const as = house.cluster.as({ user, groups: GROUPS });
  const held = await house.get(KINDS.application, 'web');
  if (held === undefined) await as.create({ ...wanted, metadata: { ...wanted.metadata, namespace: house.ns } });
  else await as.patch({ ...KINDS.application, namespace: house.ns, name: 'web' }, { type: 'merge', body: { spec: wanted.spec } });
}

const isAt = (rows: Rows, house: House, activity: string) => () => {
  const [row] = rows.see({ kind: 'rollouts', query: {} })?.rows ?? [];
  return row !== undefined && row.key === `${house.ns}/web` && rows.rollout().activity === activity;
};
const phaseOf = (decision: KubeObject) => readString(decision, 'status', 'phase');
const ready = async (house: House) => [await house.ready('web-v1'), await house.ready('web-v2')];

/** A rollout of ada's at its first gate. */
async function atGate(house: House, rows: Rows, required: number): Promise<void> {
  await apply(house, 'ada', { image: '1', required });
  await house.until('the first revision is at rest', async () => (await house.ready('web-v1')) === 4 && isAt(rows, house, 'idle')());
  await apply(house, 'ada', { image: '2', required });
  await house.until('stage 1 waits', isAt(rows, house, 'waiting'));
}

describe('a policy that nobody can meet', () => {
  it('[issue 9] that was the first leaves abort to everybody, and the rest to an administrator', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atGate(house, rows, 99);
    expect(rows.rollout().tighteningUndo).toBeNull();
    expect(rows.rollout().wait.sentence).toMatch(/99/);

    // Whoever asked for it asks for one that can be met: that is looser, and wants as many people.
    await apply(house, 'ada', { image: '2', required: 1 });
    await house.until('the looser one waits', () => rows.rollout().loosening !== null);
    expect(phaseOf(await decide(house, 'web', 'loosen', { user: 'ben' }))).toBe('Accepted');
    await house.advance(5000);
    expect(rows.rollout().loosening).not.toBeNull();
    expect(phaseOf(await decide(house, 'web', 'approve', { user: 'ben' }))).toBe('Accepted');
    await house.advance(5000);
    expect(await ready(house)).toEqual([2, 2]);

    expect(phaseOf(await decide(house, 'web', 'abort', { reason: 'nobody can approve' }))).toBe('Accepted');
    await house.until('the stable side is back', isAt(rows, house, 'aborted'));
    expect(await ready(house)).toEqual([4, 0]);

    const at = { ...KINDS.rolloutOrchestrator, namespace: house.ns, name: 'web' };
    await expect(house.cluster.as({ user: 'ada', groups: GROUPS }).delete(at)).rejects.toThrow(/forbidden|engines/i);
    const before = (await house.get(KINDS.rolloutOrchestrator, 'web'))?.metadata.uid;
    await house.cluster.as({ user: 'root', groups: ['system:masters'] }).delete(at);
    await house.until(
      'the engine makes it again',
      async () => ((await house.get(KINDS.rolloutOrchestrator, 'web'))?.metadata.uid ?? before) !== before,
    );
    await house.until('it waits under what is asked for', isAt(rows, house, 'waiting'));
    expect(rows.rollout().loosening).toBeNull();
    expect(phaseOf(await decide(house, 'web', 'approve', { user: 'ben' }))).toBe('Accepted');
    await house.until('it is through', async () => `${await ready(house)}` === '0,4');
  });

  it('[issue 9] that took the place of another is taken back by whoever requested it, and by nobody else', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atGate(house, rows, 2);
    await apply(house, 'ada', { image: '2', required: 99 });
    await house.until('it is in force', () => rows.rollout().tighteningUndo?.by === 'ada');
    expect(rows.rollout().wait.sentence).toMatch(/99/);
    await apply(house, 'ada', { image: '2', required: 2 });
    await house.until('it is taken back', () => rows.rollout().tighteningUndo === null);
    expect(rows.rollout().loosening).toBeNull();
    expect(rows.rollout().wait.sentence).toMatch(/\b2\b/);
    for (const user of ['ben', 'cleo']) expect(phaseOf(await decide(house, 'web', 'approve', { user }))).toBe('Accepted');
    await house.until('two people were enough', async () => `${await ready(house)}` === '0,4');
  });

  it('[issue 9] stays in force where somebody else asks for the former one', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atGate(house, rows, 2);
    await apply(house, 'ada', { image: '2', required: 99 });
    await house.until('it is in force', () => rows.rollout().tighteningUndo?.by === 'ada');
    await apply(house, 'ben', { image: '2', required: 2 });
    await house.until('the looser one waits', () => rows.rollout().loosening !== null);
    expect(rows.rollout().wait.sentence).toMatch(/99/);
  });
});
