import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { HubRig } from '@/test/server/realtime/rig';
import { admission, startHub, subscribe } from '@/test/server/realtime/rig';

/** A connection that speaks the protocol below the sockets; its address is known to nobody but the test. */
function openRaw({ port, cookie }: HubRig): Promise<Duplex> {
  const headers = {
    cookie,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/socket.io/?EIO=4&transport=websocket', headers });
    asked.once('upgrade', (_answer, socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      resolve(socket);
    });
    asked.once('error', reject);
    asked.end();
  });
}

/** A text frame, masked with zeros. */
const frame = (text: string) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

const stillOpen = (sockets: readonly Duplex[]) => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;

it('[issue 10.4] connections of a person that never join are bounded as well, and end beside none of another person’s', async () => {
  await using rig = await startHub({ topics: { inbox: [] } });
  const raw = await Promise.all(Array.from({ length: 60 }, () => openRaw(rig)));
  await expect.poll(() => stillOpen(raw)).toBe(25);
  const link = await rig.auth.createLink((await rig.auth.readSession(rig.cookie)) ?? never(), 'viewer');
  const { setCookie } = await rig.auth.signIn(link);
  const other = rig.connect({ headers: { cookie: setCookie.split(';')[0] ?? '' } });
  expect(await admission(other)).toBeUndefined();
  expect(await subscribe(other, 'inbox')).toMatchObject({ kind: 'snapshot' });
  for (const socket of raw) socket.destroy();
  // What ended counts no more.
  await expect.poll(async () => admission(rig.connect())).toBeUndefined();
});

it('[issue 10.4] a connection that leaves what it joined ends, and one that stays goes on', async () => {
  await using rig = await startHub({ topics: { inbox: [] } });
  const staying = rig.connect();
  expect(await admission(staying)).toBeUndefined();
  const leaving = await openRaw(rig);
  leaving.write(frame('40'));
  await expect.poll(() => rig.hub.connected()).toBe(2);
  leaving.write(frame('41'));
  await expect.poll(() => stillOpen([leaving])).toBe(0);
  expect(await subscribe(staying, 'inbox')).toMatchObject({ kind: 'snapshot' });
});

it('[issue 10.4] a connection that says without end what no socket hears is cut off, and one that says as much as a page goes on', async () => {
  await using rig = await startHub({ topics: { inbox: [] } });
  const shouting = await openRaw(rig);
  const talking = rig.connect();
  expect(await admission(talking)).toBeUndefined();
  for (let at = 0; at < 1100; at++) shouting.write(frame('40/nobody,'));
  await expect.poll(() => stillOpen([shouting])).toBe(0);
  for (let at = 0; at < 100; at++) expect(await subscribe(talking, 'inbox')).toMatchObject({ kind: 'snapshot' });
});

function never(): never {
  throw new Error('nobody is signed in');
}
