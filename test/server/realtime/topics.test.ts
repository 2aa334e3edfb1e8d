import { expect, it } from 'vitest';
import { createTopics } from '@/server/realtime/topics';
import { ManualClock } from '@/test/support/manual-clock';
import { createFakeReadModel } from '../api/fake-read-model';

it('[design 8] keeps few topics that nobody watches, the newest, and none for longer than half a minute', async () => {
  const names = Array.from({ length: 500 }, (_, at) => `t${at}`);
  const clock = new ManualClock();
  const readModel = createFakeReadModel(Object.fromEntries(names.map((name) => [`tracker/${name}`, [{ key: name }]])));
  const topics = createTopics(readModel, clock, () => undefined);
  const watched = topics.use({ kind: 'tracker', name: 't0' }, 'all');
  for (const name of names) topics.use({ kind: 'tracker', name }, 'all')?.release();
  expect(topics.count()).toBe(201);
  expect(readModel.opened).toEqual(['t0', ...names.slice(300)].map((name) => `tracker/${name} *`));
  await clock.advance(30_000);
  expect(readModel.opened).toEqual(['tracker/t0 *']);
  watched?.release();
  await clock.advance(30_000);
  expect(topics.count()).toBe(0);
});
