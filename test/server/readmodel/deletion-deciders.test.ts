import { describe, expect, it } from 'vitest';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { InboxRow } from '@/lib/contract/system-rows';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

const MANY = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const GROUP = 'slipway:operators';
const personOf = (user: string) => ({ user, groups: [GROUP] });

const rowOf = (rows: Rows) => rows.see({ kind: 'applications', query: {} })?.rows[0] as ApplicationRow | undefined; // JSON on the wire
const rowsOf = (rows: Rows) => (rows.see({ kind: 'applications', query: {} })?.rows ?? []) as readonly ApplicationRow[]; // JSON on the wire
const inboxOf = (rows: Rows) =>
  (rows.see({ kind: 'inbox' })?.rows as readonly InboxRow[] | undefined)?.find(({ kind }) => kind === 'application'); // JSON on the wire

/** An application at rest, whose policy wants such approvals. */
async function atRest(house: House, rows: Rows, approvals: object): Promise<void> {
  await house.apply(aStorefront({ configMaps: MANY, control: { approvals } }));
  await house.until('it is at rest', () => rowOf(rows)?.activity === 'idle' && rowOf(rows)?.health === 'Current');
}

/** An approval of what waits, as the page gives it. */
function approvalBy({ ns }: House, rows: Rows, user: string, more: object = {}) {
  const { digest, decision } = rows.model.waitingOf(ns, 'web', {});
  return { actor: personOf(user), seen: { garbage: digest }, garbage: decision, ...more };
}

/** Approves what waits, as the page does. */
async function approve(house: House, rows: Rows, user: string): Promise<void> {
  const application = await house.get(KINDS.application, 'web');
  await house.cluster.as(personOf(user)).create({
    ...KINDS.stageDecision,
    metadata: { generateName: 'web-', namespace: house.ns },
    spec: {
      applicationRef: { name: 'web', uid: application?.metadata.uid },
      verb: 'approve',
      ...approvalBy(house, rows, user),
    },
  });
}

describe('[issue 14.3] a deletion that a rule holds', () => {
  it('waits for those whose approval would count, and not for who has given one', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atRest(house, rows, { groups: [GROUP], required: 2 });
    expect(rowOf(rows)).not.toHaveProperty('decider');
    await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
    await house.until('its deletion waits', () => inboxOf(rows)?.decider !== undefined);
    expect(inboxOf(rows)?.decider).toEqual({ verb: 'approve', groups: [GROUP], not: [], people: true });
    const refusalReason = (user: string, groups = [GROUP]) => rows.model.notDeletedReason({ ns: house.ns, name: 'web' }, { user, groups });
    expect(refusalReason('ann')).toBeNull();
    expect(refusalReason('ann', [])).toBe('The policy requires someone of slipway:operators, and ann is in none of them');
    await approve(house, rows, 'ann');
    await house.until('it is told who has approved it', () => inboxOf(rows)?.decider?.not.length === 1);
    expect(inboxOf(rows)?.decider).toEqual({ verb: 'approve', groups: [GROUP], not: ['ann'], people: true });
    expect(inboxOf(rows)?.sentence).toContain('(1 of 2)');
    expect(refusalReason('ann')).toBe('ann has already approved exactly this; that approval counts');
    const again = (user: string, more: object = {}) =>
      rows.model.approvedAlreadyReason({ ns: house.ns, name: 'web' }, approvalBy(house, rows, user, more));
    expect(again('ann')).toBe('ann has already approved exactly this; that approval counts');
    expect(again('ben')).toBeNull();
    // What names more, or was seen otherwise, is for the engine to judge.
    expect(again('ann', { garbage: { count: 99 } })).toBeNull();
    expect(again('ann', { seen: { garbage: 'sha256:before' } })).toBeNull();
    expect(refusalReason('ben')).toBeNull();
    await approve(house, rows, 'ben');
    await house.until('it is gone', async () => (await house.get(KINDS.application, 'web')) === undefined);
  });

  it('waits for someone else than who changed the application', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atRest(house, rows, { allowSelf: false });
    await house.apply(aStorefront({ configMaps: ['a'], control: { approvals: { allowSelf: false } } }));
    await house.until('its deletion waits', () => inboxOf(rows)?.decider !== undefined);
    const requester = readAnnotatedUser((await house.get(KINDS.application, 'web')) ?? aStorefront(), REQUESTED_BY)?.user ?? '';
    expect(inboxOf(rows)?.decider).toEqual({ verb: 'approve', groups: [], not: [requester], people: true });
    const refusalReason = (user: string) => rows.model.notDeletedReason({ ns: house.ns, name: 'web' }, { user, groups: [] });
    expect(refusalReason(requester)).toContain('requested this change');
    expect(refusalReason('ben')).toBeNull();
  });

  it('[issue 10.2] of an application in another one waits for someone else than who changed the outer one, as its engine counts', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const inner = (configMaps: readonly string[]) => aStorefront({ configMaps, control: { approvals: { allowSelf: false } } });
    const around = (configMaps: readonly string[], policies: readonly object[] = []) => ({
      ...KINDS.application,
      metadata: { name: 'outer', namespace: house.ns },
      spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [inner(configMaps)] } }], policies },
    });
    const asPerson = (user: string) => house.cluster.as(personOf(user));
    await asPerson('ada').create(around(MANY));
    const isAtRest = () => rowsOf(rows).every(({ activity, health }) => activity === 'idle' && health === 'Current');
    await house.until('both are at rest', () => rowsOf(rows).length === 2 && isAtRest());
    const change = async (user: string, ...objects: Parameters<typeof around>) => {
      const outer = { ...KINDS.application, namespace: house.ns, name: 'outer' };
      await asPerson(user).patch(outer, { type: 'merge', body: { spec: around(...objects).spec } });
    };
    await change('ada', ['a']);
    await house.until('its deletion waits', () => inboxOf(rows)?.decider !== undefined);
    const server = readAnnotatedUser((await house.get(KINDS.application, 'web')) ?? aStorefront(), REQUESTED_BY)?.user;
    expect(server).not.toBe('ada');
    expect(inboxOf(rows)?.decider).toEqual({ verb: 'approve', groups: [], not: ['ada'], people: true });
    const refusalReason = (user: string) => rows.model.notDeletedReason({ ns: house.ns, name: 'web' }, { user, groups: [GROUP] });
    expect([refusalReason('ada'), refusalReason('ben')]).toEqual([expect.stringContaining('requested this change'), null]);
    // A change of its policies makes no new revision, so nothing of the inner one is written.
    await change('cyn', ['a'], [{ name: 'collect', type: 'garbage-collect', properties: { keepLegacyResource: true } }]);
    await house.until('it is told who asks for it now', () => inboxOf(rows)?.decider?.not.includes('cyn') === true);
    expect([refusalReason('ada'), refusalReason('cyn')]).toEqual([null, expect.stringContaining('requested this change')]);
    await approve(house, rows, 'ada');
    await house.until('it is gone', async () => (await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'b')) === undefined);
  });

  it('[issue 10.2] takes one approval more where nobody may approve their own, since it is not known who deletes it', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await atRest(house, rows, { allowSelf: false });
    await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
    await house.until('its deletion waits', () => inboxOf(rows)?.decider !== undefined);
    expect(inboxOf(rows)?.sentence).toContain('it requires 2 approvals, since one of them may be from the person who deletes it (0 of 2)');
    await approve(house, rows, 'ann');
    await house.until('it is told who has approved it', () => inboxOf(rows)?.decider?.not.length === 1);
    await house.advance(60_000);
    expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'a')).toBeDefined();
    await approve(house, rows, 'ben');
    await house.until('it is gone', async () => (await house.get(KINDS.application, 'web')) === undefined);
  });
});

it('[issue 14.3] an application that is suspended waits for whoever may change it', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  await atRest(house, rows, { groups: [GROUP] });
  const annotations = { 'operatorkit.giantswarm.io/paused': 'true' };
  await house.cluster.patch(
    { ...KINDS.application, namespace: house.ns, name: 'web' },
    { type: 'merge', body: { metadata: { annotations } } },
  );
  await house.until('it is suspended', () => inboxOf(rows)?.group === 'waits');
  expect(inboxOf(rows)?.decider).toEqual({ verb: 'change', groups: [], not: [] });
});
