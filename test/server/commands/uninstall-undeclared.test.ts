import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { createCommandRig } from './rig';

const BY_HAND = { ns: 'shop', name: 'by-hand' };
const REQUEST = { revision: 3, uid: 'secret-uid', reason: 'moved away' };

it('[issue 12.1] decides to uninstall an undeclared release by the Secret of the newest revision that was seen, as the person, for ten minutes', async () => {
  const { commands, session, cluster } = await createCommandRig();
  expect(await commands.uninstallUndeclared(session, BY_HAND, REQUEST)).toMatchObject({
    accepted: { kind: 'ReleaseDecision', ns: 'shop' },
  });
  expect(cluster.writes).toMatchObject([{ verb: 'create', person: { user: 'operator', groups: ['slipway:operators'] } }]);
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
  rig.unrecorded = new Error('the store is down');
  await expect(rig.commands.uninstallUndeclared(rig.session, BY_HAND, REQUEST)).rejects.toThrow('the store is down');
  expect(rig.cluster.writes).toEqual([]);
});
