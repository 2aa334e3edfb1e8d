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

it('[issue 10.4] of however many topics few compute at once: the rest of the server has its turn in between, and all are told in the end', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `t${at}`);
  const clock = new ManualClock();
  let workedMs = 0;
  clock.steadyMs = () => clock.now() + workedMs;
  const readModel = createFakeReadModel(Object.fromEntries(names.map((name) => [`tracker/${name}`, [{ key: name }]])));
  const told: string[] = [];
  const topics = createTopics(readModel, clock, (_room, topic) => {
    workedMs += 1;
    told.push(topic);
  });
  const uses = names.map((name) => topics.use({ kind: 'tracker', name }, 'all'));
  for (const name of names) readModel.put(`tracker/${name}`, { key: `${name}-more` });
  await clock.settle();
  expect(told).toHaveLength(10);
  const between: number[] = [];
  const look = () => {
    between.push(told.length);
    if (told.length < names.length) clock.schedule(10, look);
  };
  clock.schedule(10, look);
  uses[250]?.release(); // nobody waits for it any more
  await clock.advance(10_000);
  expect(Math.max(...between.map((count, at) => count - (between[at - 1] ?? 10)))).toBeLessThanOrEqual(10);
  expect(told).toHaveLength(299);
  expect(told).not.toContain('tracker/t250');
  // After a rest the first one goes out at once.
  readModel.put('tracker/t0', { key: 'again' });
  await clock.settle();
  expect(told.at(-1)).toBe('tracker/t0');
});
