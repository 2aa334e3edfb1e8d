import { expect, it } from 'vitest';
import type { ServedConnection } from '@/server/realtime/socket-forwards';
import type { Client } from '@/test/server/realtime/rig';
import { startHub } from '@/test/server/realtime/rig';
import { until } from '@/test/support/until';

const MB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);

/** A hub through which the ports of one pod are forwarded: they send without end, and count what is read of them. */
async function startForwards() {
  const read: number[] = [];
  let asked = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const connect = async (): Promise<ServedConnection> => {
    const own = read.push(0) - 1;
    return {
      async *output() {
        for (; !isOver; read[own] = (read[own] ?? 0) + CHUNK.length) yield CHUNK;
        return null;
      },
      write: async () => undefined,
      close: () => undefined,
    };
  };
  const hub = await startHub({
    openForward: async () => {
      asked++;
      return { connect, recheck: async () => undefined, end, onEnd: () => undefined };
    },
  });
  return {
    hub,
    read: () => read.reduce((sum, bytes) => sum + bytes, 0),
    asked: () => asked,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

async function openConnections(client: Client, count: number): Promise<void> {
  const opened = await client.emitWithAck('forward-open', { ns: 'shop', pod: 'web', ports: [80] });
  const id = opened.kind === 'opened' ? opened.id : 0;
  await Promise.all(Array.from({ length: count }, () => client.emitWithAck('forward-connect', id, 80)));
}

/** The connection below a client, which the client does not read while it is held. */
function wireOf(client: Client) {
  const { engine } = client.io;
  const { _socket: wire } = (engine.transport as unknown as { readonly ws: { readonly _socket: { pause(): void; resume(): void } } }).ws; // known to tests alone
  return { engine, hold: () => wire.pause(), goOn: () => wire.resume() };
}

it('[issue 10.4] a client that says it took what it never read gets no more than one that reads, and another client is served meanwhile', async () => {
  await using forwards = await startForwards();
  const { client } = forwards.hub.connect();
  client.on('forward-data', () => undefined); // and says nothing of its own accord
  const wire = wireOf(await connected(client));
  await openConnections(client, 4);
  wire.hold();
  for (let round = 0; round < 60; round++) {
    // Numbers of messages are easily guessed: those of the round before are sent by now.
    for (let id = round * 100; id < round * 100 + 400; id++) wire.engine.send(`3${id}[]`);
    client.emit('forward-open', { ns: 'shop', pod: 'web', ports: [81] }, () => undefined); // heard after all of that
    await until('the round is heard', () => forwards.asked() === round + 2);
  }
  // 6,000 pieces of 8 KB were said to be taken, 49 MB.
  expect(forwards.read()).toBeLessThan(20 * MB);
  const { client: other } = forwards.hub.connect();
  let heard = 0;
  other.on('forward-data', (_stream, bytes, taken) => {
    heard += bytes.byteLength;
    taken();
  });
  await openConnections(await connected(other), 1);
  await expect.poll(() => heard, { timeout: 20_000 }).toBeGreaterThan(16 * MB);
  wire.goOn();
});

it('[issue 10.4] many connections of a client that reads nothing hold no more than one of them may, and go on when it reads', async () => {
  await using forwards = await startForwards();
  const { client } = forwards.hub.connect();
  let heard = 0;
  client.on('forward-data', (_stream, bytes, taken) => {
    heard += bytes.byteLength;
    taken();
  });
  const wire = wireOf(await connected(client));
  const opened = await client.emitWithAck('forward-open', { ns: 'shop', pod: 'web', ports: [80] });
  wire.hold();
  const before = heard;
  for (let at = 0; at < 100; at++) client.emit('forward-connect', opened.kind === 'opened' ? opened.id : 0, 80, () => undefined);
  client.emit('forward-open', { ns: 'shop', pod: 'web', ports: [81] }, () => undefined);
  await expect.poll(forwards.asked).toBe(2);
  let last = -1;
  const stands = () => {
    const isSame = forwards.read() === last;
    last = forwards.read();
    return isSame;
  };
  await expect.poll(stands, { interval: 200 }).toBe(true);
  // A hundred connections with 32 pieces of 8 KB each would be 25 MB beside what the wire itself holds.
  expect(forwards.read()).toBeLessThan(20 * MB);
  wire.goOn();
  await expect.poll(() => heard - before, { timeout: 20_000 }).toBeGreaterThan(32 * MB);
});

async function connected(client: Client): Promise<Client> {
  await expect.poll(() => client.connected).toBe(true);
  return client;
}
