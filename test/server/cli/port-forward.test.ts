import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { createProgram } from '@/server/cli/program';
import type { OpenForward, ServedConnection } from '@/server/realtime/socket-forwards';
import { startHub } from '../realtime/rig';

const SESSION = { user: 'operator', groups: [], mode: 'local', mayInvite: false, expiresAt: '2027-01-01T00:00:00Z' };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A port of a pod that is a TCP server here; its connections are read as slowly as they are taken. */
function toTcp(port: number): ServedConnection {
  const socket = connectTcp(port, '127.0.0.1').on('error', () => undefined);
  return {
    async *output() {
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
      return null;
    },
    write: (bytes) => new Promise((resolve) => void socket.write(bytes, () => resolve())),
    close: () => void socket.destroy(),
  };
}

/** A hub whose one pod has the ports that are played here, and the command that forwards them. */
async function start({
  connect,
  open,
}: {
  readonly connect?: (port: number) => Promise<ServedConnection>;
  readonly open?: OpenForward;
} = {}) {
  const asked: unknown[] = [];
  let ended: string | undefined;
  let hear: (sentence: string) => void = () => undefined;
  const rechecked: string[] = [];
  const end = (sentence: string) => {
    ended ??= sentence;
    hear(sentence);
  };
  const openForward: OpenForward = async (_session, request) => {
    asked.push(request);
    return {
      connect: (port) => connect?.(port) ?? Promise.reject(new AppError('rejected', 'nothing listens')),
      recheck: async ({ user }) => void rechecked.push(user),
      end,
      onEnd(listener) {
        hear = listener;
      },
    };
  };
  const hub = await startHub({ openForward: open ?? openForward });
  ends.push(() => hub[Symbol.asyncDispose]());
  const out: string[] = [];
  const err: string[] = [];
  let code = 0;
  const left = new AbortController();
  const program = createProgram({
    print: (text) => void out.push(text),
    warn: (text) => void err.push(text),
    fail: (given = 1) => {
      code = given;
    },
    stdin: new PassThrough(),
    leaving: () => left.signal,
    fetch: async () => new Response(JSON.stringify(SESSION), { headers: { 'set-cookie': hub.cookie } }),
  });
  const run = async (...args: readonly string[]) => {
    await program.parseAsync(['port-forward', ...args, '--url', `http://127.0.0.1:${hub.port}`, '--token', 'x'], { from: 'user' });
    return { out, err, code };
  };
  const localPort = async () => {
    await expect.poll(() => out.length).toBeGreaterThan(0);
    return Number(/127\.0\.0\.1:(\d+)/.exec(out[0] ?? '')?.[1]);
  };
  return { hub, asked, run, leave: () => left.abort(), localPort, end, endedReason: () => ended, rechecked };
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(handler as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('slipway port-forward', () => {
  it('[issue 14.1] answers on loopback what a port of the pod answers, for many connections and much data, and ends when it is interrupted', async () => {
    const port = await listen((request, answer) => void request.pipe(answer));
    const rig = await start({ connect: async () => toTcp(port) });
    const done = rig.run('pod/web', ':8080', '-n', 'shop');
    const local = await rig.localPort();
    expect(rig.asked).toEqual([{ ns: 'shop', pod: 'web', ports: [8080] }]);
    const bodies = Array.from({ length: 12 }, (_, at) => Buffer.alloc(300_000, at));
    const answers = await Promise.all(
      bodies.map(async (body) => Buffer.from(await (await fetch(`http://127.0.0.1:${local}/`, { method: 'POST', body })).arrayBuffer())),
    );
    expect(answers.map((answer, at) => answer.equals(bodies[at] ?? Buffer.alloc(0)))).toEqual(bodies.map(() => true));
    rig.leave();
    expect(await done).toMatchObject({ err: [], code: 0 });
    await expect.poll(rig.endedReason).toBe('the page was closed');
    await expect(fetch(`http://127.0.0.1:${local}/`)).rejects.toThrow();
  });

  it('[issue 14.1] sends no more to who does not read', async () => {
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024);
    const rig = await start({
      connect: async () => ({
        async *output() {
          for (; sent < 4000; sent++) yield piece;
          return null;
        },
        write: async () => undefined,
        close: () => undefined,
      }),
    });
    const done = rig.run('web', ':1');
    const socket = connectTcp(await rig.localPort(), '127.0.0.1').pause();
    ends.push(() => socket.destroy());
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = sent > 0 && sent === before;
          before = sent;
          return stands;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(2000);
    rig.leave();
    await done;
  });

  it('[issue 14.1] gives a program that says no more its last answer', async () => {
    const { createServer: createTcp } = await import('node:net');
    const server = createTcp({ allowHalfOpen: true }, (socket) => void socket.once('data', (bytes) => socket.end(`echo ${bytes}`)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => server.close());
    const rig = await start({ connect: async () => toTcp((server.address() as AddressInfo).port) });
    const done = rig.run('web', ':7');
    const socket = connectTcp({ port: await rig.localPort(), host: '127.0.0.1', allowHalfOpen: true });
    socket.end('hello');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toBe('echo hello');
    rig.leave();
    await done;
  });

  it('[issue 14.1] ends with the sentence of why: the right is gone, or the session', async () => {
    const rig = await start();
    const done = rig.run('web', ':80');
    await rig.localPort();
    rig.end('operator may not do this');
    expect(await done).toMatchObject({ err: ['error: operator may not do this'], code: 1 });
    const second = await start();
    const other = second.run('web', ':80');
    await second.localPort();
    const session = await second.hub.auth.readSession(second.hub.cookie);
    if (session === undefined) throw new Error('nobody is signed in');
    await second.hub.auth.signOut(session);
    expect((await other).err[0]).toMatch(/^error: .*signed out/);
    expect(second.endedReason()).toBeDefined();
  });

  it('[issue 14.1] has its right asked for anew every four seconds', async () => {
    const rig = await start();
    const done = rig.run('web', ':80');
    await expect.poll(() => rig.rechecked.length, { timeout: 6000 }).toBeGreaterThan(0);
    rig.leave();
    await done;
  });

  it('[issue 14.1] tells of one connection that is refused, and goes on', async () => {
    const rig = await start();
    const done = rig.run('web', ':80');
    await expect(fetch(`http://127.0.0.1:${await rig.localPort()}/`)).rejects.toThrow();
    rig.leave();
    expect(await done).toMatchObject({ err: ['port 80: nothing listens'], code: 0 });
  });

  it('[issue 14.1] ends with the refusal of the server where nothing is forwarded', async () => {
    const rig = await start({ open: () => Promise.reject(new AppError('rejected', 'no container runs')) });
    expect(await rig.run('web', '80')).toEqual({ out: [], err: ['error: no container runs'], code: 1 });
  });

  it.each([
    [['svc/web', '80'], 'error: port-forward needs pod/NAME, found svc/web'],
    [['web', '0'], 'error: a port must be LOCAL:REMOTE, PORT or :REMOTE, each 1 to 65535, found 0'],
    [['web', '80:x'], 'error: a port must be LOCAL:REMOTE, PORT or :REMOTE, each 1 to 65535, found 80:x'],
    [['web', '1:2:3'], 'error: a port must be LOCAL:REMOTE, PORT or :REMOTE, each 1 to 65535, found 1:2:3'],
  ])('[issue 14.1] %s ends with a sentence, before anything is asked', async (args, sentence) => {
    const rig = await start();
    expect(await rig.run(...args)).toEqual({ out: [], err: [sentence], code: 1 });
    expect(rig.asked).toEqual([]);
  });
});

describe('forwards over the live socket', () => {
  it('[issue 14.1] cannot be connected through from another socket, not even of the same person, and nonsense opens nothing', async () => {
    const rig = await start({ connect: async () => toTcp(1) });
    const { client } = rig.hub.connect();
    expect(await client.emitWithAck('forward-open', { ns: 'shop', pod: 'web', ports: [80] })).toEqual({ kind: 'opened', id: 1 });
    const { client: other } = rig.hub.connect();
    expect(await other.emitWithAck('forward-connect', 1, 80)).toMatchObject({ kind: 'refused', code: 'invalid' });
    for (const nonsense of [
      null,
      {},
      { ns: 'shop', pod: 'web', ports: [] },
      { ns: 'shop', pod: 'web', ports: [0] },
      { ns: 'shop', pod: '../x', ports: [1] },
    ]) {
      expect(await client.emitWithAck('forward-open', nonsense as never)).toMatchObject({ kind: 'refused', code: 'invalid' });
    }
    expect(rig.asked).toHaveLength(1);
  });

  it('[issue 14.1] whose port takes nothing are ended when more is sent than a client would send', async () => {
    let closed = 0;
    const written: number[] = [];
    const connection: ServedConnection = {
      async *output() {
        await new Promise(() => undefined);
        return null;
      },
      write(bytes) {
        written.push(bytes.length);
        return new Promise(() => undefined);
      },
      close: () => void closed++,
    };
    const rig = await start({ connect: async () => connection });
    const { client } = rig.hub.connect();
    const opened = await client.emitWithAck('forward-open', { ns: 'shop', pod: 'web', ports: [80] });
    const answer = await client.emitWithAck('forward-connect', opened.kind === 'opened' ? opened.id : 0, 80);
    const stream = answer.kind === 'connected' ? answer.stream : 0;
    for (let at = 0; at < 100; at++) client.emit('forward-data', stream, Buffer.alloc(8192), () => undefined);
    await expect.poll(() => closed).toBeGreaterThan(0);
    expect(written).toHaveLength(64);
  });
});
