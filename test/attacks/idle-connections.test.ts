import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConnectionBounds } from '@/server/port-guard';
import { boundConnections } from '@/server/port-guard';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const SLOW = 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n';
const LARGE = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n';
/** More than the buffers of both ends take. */
const BODY = Buffer.alloc(64 * 1024 * 1024);

describe('[issue 10.4] connections that stay', () => {
  let server: Server;
  const held: Duplex[] = [];
  const waiting: ServerResponse[] = [];
  /** Where the next connection comes from. */
  let source = 'a';
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    waiting.length = 0;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function start(bounds: Omit<ConnectionBounds, 'sourceOf'>): Promise<void> {
    source = 'a';
    server = createServer((request, response) => {
      if (request.url === '/slow') waiting.push(response);
      else response.end(request.url === '/large' ? BODY : 'answered');
    });
    server.on('upgrade', (_request, socket) => {
      held.push(socket);
      socket.on('error', () => undefined); // the client is gone
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n');
    });
    boundConnections(server, { ...bounds, sourceOf: () => source });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  interface Open {
    readonly socket: Socket;
    /** What came back by now. */
    text(): string;
    isOpen(): boolean;
  }

  async function open(from = 'a', said = GET): Promise<Open> {
    source = from;
    const heard = new Promise<Duplex>((resolve) => server.once('connection', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    held.push(socket);
    let text = '';
    socket.on('error', () => undefined); // it is ended in mid-sentence
    if (said !== LARGE)
      socket.on('data', (bytes) => {
        text += bytes.toString();
      });
    const served = await heard;
    socket.write(said);
    const isOpen = () => !served.destroyed;
    if (said === GET) await expect.poll(() => text.includes('answered') || !isOpen(), { interval: 2 }).toBe(true);
    if (said === UPGRADE) await expect.poll(() => text.includes('101') || !isOpen(), { interval: 2 }).toBe(true);
    return { socket, text: () => text, isOpen };
  }
  const openMany = async (count: number, from?: string, said?: string) => {
    const all: Open[] = [];
    for (let at = 0; at < count; at++) all.push(await open(from, said));
    return all;
  };
  const stillOpen = (all: readonly Open[]) => all.map((one) => one.isOpen());

  it('are so many of one source, and the one that has been idle for longest gives way; each is answered, and those of others stay', async () => {
    await start({ most: { ofSource: 4, inAll: 100 } });
    const [other] = await openMany(1, 'b');
    const own = await openMany(7);
    await expect.poll(() => stillOpen(own), { interval: 2 }).toEqual([false, false, false, true, true, true, true]);
    expect(own.every((one) => one.text().includes('answered'))).toBe(true);
    // One that asks again is not the longest idle any more.
    own[3]?.socket.write(GET);
    await expect.poll(() => own[3]?.text().match(/answered/g)?.length, { interval: 2 }).toBe(2);
    await openMany(1);
    await expect.poll(() => stillOpen(own.slice(3)), { interval: 2 }).toEqual([true, false, true, true]);
    expect(other?.isOpen()).toBe(true);
  });

  it('are so many in all: of sources alike whichever waits gives way, and one that has more than its share makes room itself', async () => {
    await start({ most: { ofSource: 4, inAll: 8 } });
    const few = await openMany(1, 'b');
    const many = await openMany(4);
    const more = await openMany(4, 'c');
    await expect.poll(() => stillOpen(more), { interval: 2 }).toEqual([false, true, true, true]);
    expect(stillOpen([...few, ...many])).toEqual([true, true, true, true, true]);
    const [late] = await openMany(1, 'd');
    expect(late?.text()).toContain('answered');
    await expect.poll(() => stillOpen([...few, ...many]), { interval: 2 }).toEqual([false, true, true, true, true]);
  });

  it('are ended last where they are being answered or are sockets, and a stranger beside them is answered all the same', async () => {
    await start({ most: { ofSource: 4, inAll: 8 } });
    const slow = await openMany(2, 'a', SLOW);
    const sockets = await openMany(2, 'a', UPGRADE);
    await expect.poll(() => waiting.length, { interval: 2 }).toBe(2);
    const refused = await openMany(3);
    await expect.poll(() => stillOpen(refused), { interval: 2 }).toEqual([false, false, false]);
    expect(stillOpen([...slow, ...sockets])).toEqual([true, true, true, true]);
    for (const response of waiting) response.end('answered');
    await expect.poll(() => slow.map((one) => one.text().includes('answered')), { interval: 2 }).toEqual([true, true]);
    // Idle by now, they make room for whoever comes.
    expect((await open()).text()).toContain('answered');
    await expect.poll(() => stillOpen([...slow, ...sockets]), { interval: 2 }).toEqual([false, true, true, true]);
    for (const from of ['b', 'c', 'd', 'e']) await openMany(1, from, UPGRADE);
    await openMany(1, 'b', UPGRADE); // in the place of the one that is idle
    await openMany(1, 'c', UPGRADE);
    expect((await open('f')).text()).toContain('answered');
  });

  it('are bounded in all only where a trusted proxy speaks for many', async () => {
    await start({ most: { ofSource: 2, inAll: 5 }, isProxy: () => source === 'proxy' });
    const own = await openMany(7, 'proxy');
    await expect.poll(() => stillOpen(own), { interval: 2 }).toEqual([false, false, true, true, true, true, true]);
  });

  it('take half of the files of the process at most', async () => {
    await start({ files: 8 });
    const own = await openMany(3, 'a');
    const others = await openMany(3, 'b');
    await expect.poll(() => stillOpen([...own, ...others]), { interval: 2 }).toEqual([false, true, true, false, true, true]);
  });

  it('end where nothing is read of what is sent; whoever waits for an answer does not, and is answered', async () => {
    await start({ unreadMs: 200 });
    server.keepAliveTimeout = 200;
    const unread = await open('a', LARGE);
    const slow = await open('a', SLOW);
    const idle = await open('a');
    await expect.poll(() => [unread.isOpen(), idle.isOpen()], { interval: 5, timeout: 20_000 }).toEqual([false, false]);
    expect(slow.isOpen()).toBe(true);
    waiting[0]?.end('answered');
    await expect.poll(() => slow.text(), { interval: 2 }).toContain('answered');
  });
});
