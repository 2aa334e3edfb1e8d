import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClientAddresses } from '@/server/auth';
import { boundConnections } from '@/server/port-guard';

const MOST = 5;
const peers = createClientAddresses({ mode: 'local', publicUrl: undefined, trustedProxies: [] });

describe('[issue 10.4] connections of strangers that owe a request', () => {
  let server: Server;
  const held: Socket[] = [];
  const bodies: string[] = [];
  /** By the port of the client, where a test says that some come from elsewhere. */
  const elsewhere = new Set<number>();
  beforeEach(async () => {
    server = createServer(async (request, response) => {
      const body = await text(request).catch(() => undefined);
      if (body === undefined) return; // it was cut in mid-body
      bodies.push(body);
      response.end('answered');
    });
    boundConnections(server, {
      most: { owed: MOST },
      sourceOf: (from) => (elsewhere.has((from.socket as Socket).remotePort ?? 0) ? 'elsewhere' : peers.sourceOf(from)),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Opens a connection, and says the first part of what it has to say once the server has it. */
  async function open(said = ''): Promise<Socket> {
    const heard = new Promise<void>((resolve) => server.once('connection', () => resolve()));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined); // it is ended in mid-sentence
    held.push(socket);
    await heard;
    if (said !== '') await new Promise<void>((resolve) => socket.write(said, () => resolve()));
    return socket;
  }
  const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answer = (socket: Socket) => new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
  const WHOLE = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

  it.each([
    ['nothing', ''],
    ['half a head', 'GET / HTTP/1.1\r\nhost: a\r\n'],
    ['a head, and half a body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf'],
    ['a piece of a body without an end', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ])('that say %s are so many, and the oldest gives way; whoever sends a request meanwhile is answered', async (_what, said) => {
    const sockets: Socket[] = [];
    const gone: number[] = [];
    for (let at = 0; at < MOST + 3; at++) {
      const socket = await open(said);
      void ended(socket).then(() => gone.push(at));
      sockets.push(socket);
    }
    await expect.poll(() => gone, { interval: 5, timeout: 20_000 }).toEqual([0, 1, 2]);
    const served = await open();
    const heard = answer(served);
    served.write(WHOLE);
    expect(await heard).toContain('answered');
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeGreaterThanOrEqual(MOST - 1);
  });

  it('do not count once they have sent a whole one, however long they stay; and one that is late is taken whole', async () => {
    const quiet: Socket[] = [];
    for (let at = 0; at < MOST * 2; at++) {
      const socket = await open();
      const heard = answer(socket);
      socket.write(WHOLE);
      expect(await heard).toContain('answered');
      quiet.push(socket);
    }
    const late = await open('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 8\r\n\r\nhalf');
    for (let at = 0; at < MOST - 1; at++) await open();
    const heard = answer(late);
    late.write('rest');
    expect(await heard).toContain('answered');
    expect(bodies.at(-1)).toBe('halfrest');
    expect(quiet.every(({ destroyed }) => !destroyed)).toBe(true);
  });

  it('count by where they come from', async () => {
    const others = connect((server.address() as AddressInfo).port, '127.0.0.1');
    held.push(others);
    server.prependOnceListener('connection', ({ remotePort = 0 }: Socket) => elsewhere.add(remotePort));
    await new Promise<void>((resolve) => server.once('connection', () => resolve()));
    for (let at = 0; at < MOST + 3; at++) await open();
    const heard = answer(others);
    others.write(WHOLE);
    expect(await heard).toContain('answered');
  });
});
