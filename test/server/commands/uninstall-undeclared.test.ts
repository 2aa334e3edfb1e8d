import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { AskedRight } from '../auth/fake-cluster';
import { createCommandRig } from './rig';

const BY_HAND = { ns: 'shop', name: 'by-hand' };
const REQUEST = { revision: 3, uid: 'secret-uid', reason: 'moved away' };

it('[issue 12.1] decides to uninstall an undeclared release by the Secret of the newest revision that was seen, as the person, for ten minutes', async () => {
  const { commands, session, cluster } = await createCommandRig();
  expect(await commands.uninstallUndeclared(session, BY_HAND, REQUEST)).toMatchObject({
    accepted: { kind: 'ReleaseDecision', ns: 'shop' },
  });
  expect(cluster.writes).toMatchObject([
    { verb: 'create', person: { user: 'operator', groups: ['slipway:operators'] }, fieldManager: 'slipway.dev/console' },
  ]);
  expect(cluster.writes[0]?.object).toEqual({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'by-hand-', namespace: 'shop' },
    spec: {
      releaseRef: { kind: 'Secret', name: 'sh.helm.release.v1.by-hand.v3', uid: 'secret-uid' },
      verb: 'uninstall',
      actor: { user: 'operator', groups: ['slipway:operators'] },
      expiresAt: '2026-01-01T09:10:00Z',
      reason: 'moved away',
    },
  });
});

it('[issue 12.1] writes no such decision that nobody would answer, or that nobody could look up later', async () => {
  const rig = await createCommandRig();
  rig.standing = 'a helm-operator drives releases';
  await expect(rig.commands.uninstallUndeclared(rig.session, BY_HAND, REQUEST)).rejects.toThrow('a helm-operator drives releases');
  rig.standing = null;
  rig.dropped = (_kind, field, value) =>
    field === 'spec.verb' && value === 'uninstall' ? 'the definition of ReleaseDecision is older' : null;
  await expect(rig.commands.uninstallUndeclared(rig.session, BY_HAND, REQUEST)).rejects.toThrow(
    'the definition of ReleaseDecision is older',
  );
  rig.dropped = () => null;
  rig.decisionsBlockedReason = 'the admission policies differ';
  await expect(rig.commands.uninstallUndeclared(rig.session, BY_HAND, REQUEST)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the admission policies differ',
  });
  rig.decisionsBlockedReason = null;
  rig.standingOf = (engine) => (engine === 'chartsync' ? null : 'another drives these');
  rig.unrecorded = new Error('the store is down');
  await expect(rig.commands.uninstallUndeclared(rig.session, BY_HAND, REQUEST)).rejects.toThrow('the store is down');
  expect(rig.cluster.writes).toEqual([]);
  rig.unrecorded = null;
  await rig.commands.uninstallUndeclared(rig.session, BY_HAND, { ...REQUEST, reason: '' });
  expect(rig.cluster.writes[0]?.object.spec).not.toHaveProperty('reason');
});

it.each([
  ['create', 'releasedecisions'],
  ['update', 'secrets'],
])('[design 8] decides nothing for who may not %s %s there, and says so before', async (verb, resource) => {
  const may = (right: AskedRight) => right.verb !== verb || right.resource !== resource;
  const { commands, session, cluster } = await createCommandRig({ may });
  const why = `operator may not do this: it requires the right "${verb}" on ${resource}`;
  expect(await commands.notUninstallUndeclaredReason(session, 'shop')).toContain(why);
  await expect(commands.uninstallUndeclared(session, BY_HAND, REQUEST)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining(why),
  });
  expect(cluster.writes).toEqual([]);
  const elsewhere = await createCommandRig({ may: (right) => may(right) || right.namespace !== 'shop' });
  expect(await elsewhere.commands.notUninstallUndeclaredReason(elsewhere.session, 'other')).toBeNull();
});
