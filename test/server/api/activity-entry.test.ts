import { expect, it } from 'vitest';
import type { FakeRules } from '../auth/fake-cluster';
import { createApiRig } from './rig';

it('[issue 14.2] one entry of the record tells what was noted of it, and one of another namespace not even that it is there', async () => {
  const entry = async (id: string, may: NonNullable<FakeRules['may']>) => {
    const { send } = await createApiRig({ may, namespaces: ['bank', 'shop'] });
    const answer = await send(`/api/v1/activity/entry?id=${id}`);
    return [answer.status, await answer.json()];
  };
  expect(await entry('a', () => true)).toEqual([
    200,
    expect.objectContaining({ key: 'a', seq: 1, data: { reason: 'because' }, shown: null }),
  ]);
  expect((await entry('a', () => true))[1]).toMatchObject({ message: 'A' });
  const absent = await entry('none', () => true);
  expect(absent[0]).toBe(404);
  expect(await entry('a', ({ namespace }) => namespace === 'bank')).toEqual(absent);
});
