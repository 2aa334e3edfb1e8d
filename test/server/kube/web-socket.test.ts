import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { KubeApiError, KubeTransportError } from '@/server/kube';
import { upgrade } from '@/server/kube/remote/upgrade';
import { createWebSocket } from '@/server/kube/remote/web-socket';
import { FrameReader } from '@/server/kube/remote/web-socket-frames';

const frame = (opcode: number, body: Buffer, isLast = true) => {
  const head =
    body.length < 126
      ? Buffer.from([0, body.length])
      : Buffer.concat([Buffer.from([0, 126]), Buffer.from([body.length >> 8, body.length & 255])]);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  return Buffer.concat([head, body]);
};
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server that upgrades, or refuses, and gives the test its end of the connection. */
async function serve(refusal?: { readonly status: number; readonly body: string }) {
  const sockets: Socket[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer();
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    requests.push(request);
    sockets.push(socket);
    if (refusal !== undefined)
      return void socket.end(
        `HTTP/1.1 ${refusal.status} No\r\ncontent-length: ${refusal.body.length}\r\nconnection: close\r\n\r\n${refusal.body}`,
      );
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const protocol = String(request.headers['sec-websocket-protocol']);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ends.push(() => {
    void pool.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const open = (signal?: AbortSignal) =>
    upgrade(pool, { path: '/exec', headers: { 'impersonate-user': 'ada' }, protocol: 'v5.channel.k8s.io', signal, what: 'the terminal' });
  return { sockets, requests, open };
}

describe('frames of a WebSocket', () => {
  it('[issue 14.1] are read wherever they were cut', () => {
    const bytes = Buffer.concat([frame(2, Buffer.from('a')), frame(2, Buffer.alloc(300, 'b')), frame(9, Buffer.alloc(0))]);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new FrameReader(1000);
      const found = [...reader.take(bytes.subarray(0, cut)), ...reader.take(bytes.subarray(cut))];
      expect(
        found.map(({ opcode, body }) => [opcode, body.length]),
        `cut at ${cut}`,
      ).toEqual([
        [2, 1],
        [2, 300],
        [9, 0],
      ]);
    }
  });

  it('[issue 14.1] are refused where they are larger than wanted, masked, or of an extension', () => {
    expect(() => [...new FrameReader(100).take(frame(2, Buffer.alloc(101)))]).toThrow('larger than any that is accepted');
    expect(() => [...new FrameReader(100).take(Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0]))]).toThrow('masked');
    expect(() => [...new FrameReader(100).take(Buffer.from([0xc2, 0x00]))]).toThrow('extension');
  });
});

describe('a WebSocket to the API server', () => {
  it('[issue 14.1] carries messages both ways, puts pieces together, answers pings, and ends when the other side closes', async () => {
    const { sockets, requests, open } = await serve();
    const { socket, head } = await open();
    const connected = createWebSocket(socket, head, 'the terminal');
    expect([requests[0]?.headers['impersonate-user'], requests[0]?.headers['sec-websocket-protocol']]).toEqual([
      'ada',
      'v5.channel.k8s.io',
    ]);
    const server = sockets[0];
    if (server === undefined) throw new Error('nobody connected');
    const heard: Buffer[] = [];
    server.on('data', (chunk: Buffer) => heard.push(chunk));
    await connected.send(Buffer.from('hello'));
    server.write(
      Buffer.concat([
        frame(2, Buffer.from('one')),
        frame(9, Buffer.from('p')),
        frame(2, Buffer.from('tw'), false),
        frame(0, Buffer.from('o')),
        frame(8, Buffer.alloc(0)),
      ]),
    );
    const told: string[] = [];
    for await (const message of connected.messages) told.push(Buffer.from(message).toString());
    expect(told).toEqual(['one', 'two']);
    await once(server, 'end');
    const frames = unmask(Buffer.concat(heard));
    expect(frames.map(({ opcode, text }) => [opcode, text]).slice(0, 2)).toEqual([
      [2, 'hello'],
      [10, 'p'],
    ]);
    expect(frames.at(-1)?.opcode).toBe(8);
  });

  it('[issue 14.1] tells what the server says no with', async () => {
    const body = JSON.stringify({ kind: 'Status', reason: 'BadRequest', code: 400, message: 'container x is not valid for pod web' });
    const { open } = await serve({ status: 400, body });
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KubeApiError);
    expect((refusal as KubeApiError).status).toMatchObject({ code: 400, message: 'container x is not valid for pod web' });
  });

  it('[issue 14.1] throws when it is cut, and reads no further than what is taken', async () => {
    const { sockets, open } = await serve();
    const { socket, head } = await open();
    const connected = createWebSocket(socket, head, 'the terminal');
    const server = sockets[0];
    const piece = frame(2, Buffer.alloc(60_000, 'x'));
    let written = 0;
    const flood = () => {
      while (written < 2000 && server?.write(piece) === true) written++;
    };
    server?.on('drain', flood);
    flood();
    const messages = connected.messages[Symbol.asyncIterator]();
    expect((await messages.next()).value?.length).toBe(60_000);
    await expect.poll(() => server?.writableLength ?? 0).toBeGreaterThan(0);
    const before = written;
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(before);
    expect(written).toBeLessThan(1000);
    server?.destroy();
    await expect(
      (async () => {
        for (let next = await messages.next(); !next.done; next = await messages.next());
      })(),
    ).rejects.toBeInstanceOf(KubeTransportError);
  });

  it('[issue 14.1] is given up with its signal', async () => {
    const silent = createServer();
    silent.on('upgrade', (_request, socket) => ends.push(() => socket.destroy()));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const pool = new Pool(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    ends.push(() => {
      void pool.destroy();
      silent.close();
    });
    const giving = new AbortController();
    const asked = upgrade(pool, { path: '/exec', headers: {}, protocol: 'p', signal: giving.signal, what: 'the terminal' });
    await once(silent, 'upgrade');
    giving.abort();
    await expect(asked).rejects.toThrow('the terminal was given up');
  });
});

function unmask(bytes: Buffer): { readonly opcode: number; readonly text: string }[] {
  const found: { readonly opcode: number; readonly text: string }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at + 1] ?? 0) & 0x7f;
    const mask = bytes.subarray(at + 2, at + 6);
    const body = Buffer.from(bytes.subarray(at + 6, at + 6 + length)).map((byte, index) => byte ^ (mask[index & 3] ?? 0));
    found.push({ opcode: (bytes[at] ?? 0) & 0x0f, text: Buffer.from(body).toString() });
    at += 6 + length;
  }
  return found;
}
