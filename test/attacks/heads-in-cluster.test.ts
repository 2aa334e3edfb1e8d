import { expect, it } from 'vitest';
import { auditHeadsInCluster } from '@/server/audit-heads-in-cluster';
import type { Cluster } from '@/server/kube';
import { signatureVerifier } from '@/server/platform';
import type { KeptHeads } from '@/server/store/audit/kept-heads';
import { mergeHeads } from '@/server/store/audit/kept-heads';
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
  return { server, cluster, place: auditHeadsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true }) };
}

it('[issue 10.3] heads that one replica keeps in the cluster are found by the other, and neither takes the other’s away', async () => {
  const { cluster, place } = aPlace();
  const beside = auditHeadsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true });
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
  const places = [1, 2, 3].map(() => auditHeadsInCluster(cluster, { namespace: 'slipway-system', keepsRunning: true }));
  await Promise.all(places.map((place, at) => place.keep(key.publicKey, kept(at, [at + 10]))));
  expect((await places[0]?.read(key.publicKey))?.signed.map(({ entries }) => entries)).toEqual([10, 11, 12]);
});

it('[issue 10.3] a running head of somebody else’s, or one that was changed, does not take the place of ours, however many entries it names', async () => {
  const { cluster, place } = aPlace();
  const other = signHead(temporaryKeys().current, { entries: 1e9, hash: 'x', at: '2026-01-01T09:00:00.000Z' });
  const name = `slipway-audit-${signatureVerifier.sha256(key.publicKey).slice(0, 16)}`;
  for (const forged of [other, { ...head(7), entries: 1e9 }]) {
    await place.keep(key.publicKey, kept(7));
    const object = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'slipway-system', name });
    await cluster.update({ ...object, data: { 'heads.json': JSON.stringify({ ...kept(7), running: forged }) } });
    await place.keep(key.publicKey, kept(8));
    expect((await place.read(key.publicKey))?.running).toEqual(head(8));
  }
});
