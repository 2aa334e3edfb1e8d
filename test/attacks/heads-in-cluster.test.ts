import { expect, it } from 'vitest';
import { headsInCluster } from '@/server/heads-in-cluster';
import type { Cluster } from '@/server/kube';
import { mergeHeads } from '@/server/store';
import type { KeptHeads } from '@/server/store/audit/kept-heads';
import { signHead, temporaryKeys } from '@/server/store/audit/signing-key';
import { FakeApiServer } from '@/test/support/dispatch-server';

const { current: key } = temporaryKeys();
const head = (entries: number) => signHead(key, { entries, hash: `hash-${entries}`, at: '2026-01-01T09:00:00.000Z' });
const kept = (running: number | null, signed: readonly number[] = []): KeptHeads => ({
  running: running === null ? null : head(running),
  signed: signed.map(head),
  contradicted: [],
});

function aPlace() {
  const server = new FakeApiServer();
  const cluster = server as unknown as Cluster; // heads use no more of the port than the fake has
  return { server, cluster, place: headsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true }) };
}

it('[issue 10.3] heads that one replica keeps in the cluster are found by the other, and neither takes the other’s away', async () => {
  const { cluster, place } = aPlace();
  const beside = headsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true });
  expect(await place.read(key.publicKey)).toBeUndefined();
  await place.keep(key.publicKey, kept(7, [5]));
  await beside.keep(key.publicKey, kept(6, [6]));
  expect(await place.read(key.publicKey)).toEqual(mergeHeads(kept(7, [5]), kept(6, [6])));
  expect((await place.read(key.publicKey))?.running?.entries).toBe(7);
});

it('[issue 10.3] heads of another key, as of another installation, stand apart', async () => {
  const { place } = aPlace();
  const other = temporaryKeys().current.publicKey;
  await place.keep(key.publicKey, kept(7));
  expect(await place.read(other)).toBeUndefined();
  await place.keep(other, kept(3));
  expect((await place.read(key.publicKey))?.running?.entries).toBe(7);
});

it('[issue 10.3] heads that both replicas write at once are all there', async () => {
  const { cluster } = aPlace();
  const places = [1, 2, 3].map(() => headsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true }));
  await Promise.all(places.map((place, at) => place.keep(key.publicKey, kept(at, [at + 10]))));
  expect((await places[0]?.read(key.publicKey))?.signed.map(({ entries }) => entries)).toEqual([10, 11, 12]);
});
