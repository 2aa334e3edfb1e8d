import { expect, it } from 'vitest';
import { isNoMatch } from '@/server/kube';
import { startRig } from './rig';

it('[issue 10.4] whoever names groups that are not there, however many, leaves a thousand behind: the oldest is asked about again, the newest is not', async () => {
  await using rig = await startRig(1);
  const ask = async (at: number) => {
    const failure = await rig.cluster.discovery.resolveKind({ group: `g${at}.test`, kind: 'Any' }).catch((error: unknown) => error);
    expect(isNoMatch(failure)).toBe(true);
  };
  const asked = (at: number) => rig.standIn.received.filter(({ path }) => path === `/apis/g${at}.test`).length;
  await ask(0);
  await Promise.all(Array.from({ length: 999 }, (_, at) => ask(at + 1)));
  for (const at of [1000, 1000]) await ask(at);
  await ask(0);
  expect([asked(0), asked(1000)]).toEqual([2, 1]);
});
