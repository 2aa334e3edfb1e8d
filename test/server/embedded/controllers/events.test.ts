import { expect, it } from 'vitest';
import { createEventWriter } from '@/server/embedded/controllers/events';
import { FakeHost } from './fake-host';
import { EVENT } from './plane';

async function aScene() {
  const host = new FakeHost();
  const object = await host.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } });
  const writer = createEventWriter(host);
  const said = () => host.list(EVENT).map(({ reason, message, count }) => `${reason} ${message} ×${count}`);
  return { host, object, record: writer.recorder('tester'), said };
}

it('[cluster K] the same words raise the count of one event', async () => {
  const { host, object, record, said } = await aScene();
  for (let time = 0; time < 3; time++) {
    record(object, 'Normal', 'Tried', 'tried it');
    await host.clock.advance(1000);
  }
  expect(said()).toEqual(['Tried tried it ×3']);
  expect(host.list(EVENT)[0]).toMatchObject({
    firstTimestamp: '2026-01-01T09:00:00Z',
    lastTimestamp: '2026-01-01T09:00:02Z',
    source: { component: 'tester' },
  });
});

it('[cluster K] many different words with one reason are combined, and told apart again after ten minutes', async () => {
  const { host, object, record, said } = await aScene();
  for (let number = 1; number <= 14; number++) record(object, 'Normal', 'Made', `made ${number}`);
  await host.clock.settle();
  expect(said()).toHaveLength(11);
  expect(said().at(-1)).toBe('Made (combined from similar events): made 14 ×4');
  await host.clock.advance(600_000);
  record(object, 'Normal', 'Made', 'made 99');
  await host.clock.settle();
  expect(said().at(-1)).toBe('Made made 99 ×1');
});

it('[cluster K] who says too much about one object is heard less', async () => {
  const { host, object, record, said } = await aScene();
  for (let number = 1; number <= 100; number++) record(object, 'Normal', `Reason${number}`, 'words');
  await host.clock.settle();
  expect(said()).toHaveLength(25);
  await host.clock.advance(300_000);
  for (let number = 101; number <= 110; number++) record(object, 'Normal', `Reason${number}`, 'words');
  await host.clock.settle();
  expect(said()).toHaveLength(26);
});
