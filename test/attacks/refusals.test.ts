import { expect, it } from 'vitest';
import { createApiRig } from '@/test/server/api/rig';

const DECIDE = '/api/v1/namespaces/shop/rollouts/web/decisions';
const abort = { verb: 'abort', uid: 'ro-uid', revision: 'front-v2', reason: 'it fails' };

it('[issue 10.3] puts on record that somebody was refused, once however often they try within ten seconds', async () => {
  const rig = await createApiRig({ may: ({ verb }) => verb !== 'abort' });
  for (let at = 0; at < 3; at++) expect((await rig.send(DECIDE, { body: abort })).status).toBe(403);
  expect(rig.recorded).toMatchObject([
    {
      actor: 'operator',
      action: 'decision.abort.refused',
      about: { kind: 'RolloutOrchestrator', namespace: 'shop', name: 'web' },
      data: { code: 'forbidden' },
    },
  ]);
  await rig.clock.advance(10_000);
  await rig.send(DECIDE, { body: abort });
  expect(rig.recorded).toHaveLength(2);
});

it('[issue 10.3] puts no refusal on record of what was done, or of who only looks', async () => {
  const rig = await createApiRig();
  expect((await rig.send(DECIDE, { body: abort })).status).toBe(202);
  const blind = await createApiRig({ may: () => false });
  expect((await blind.send('/api/v1/activity')).status).toBe(403);
  expect([...rig.recorded, ...blind.recorded]).toEqual([]);
});
