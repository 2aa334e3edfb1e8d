import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import type { TerminalAnswer } from '@/lib/contract/terminal';
import { Channel } from '@/lib/std/channel';
import type { ServedTerminal } from '@/server/realtime/socket-terminals';
import { startHub } from './rig';

const ASKED = { ns: 'shop', pod: 'web', columns: 80, rows: 24 };
let rig: Awaited<ReturnType<typeof startHub>> | undefined;
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
});

class Played implements ServedTerminal {
  readonly container = 'app';
  readonly shown = new Channel<Uint8Array>(1);
  readonly typed: string[] = [];
  readonly rechecked: string[] = [];
  taken = 0;
  ended: string | undefined;
  async *output(): AsyncGenerator<Uint8Array, string, void> {
    for await (const bytes of this.shown) {
      this.taken++;
      yield bytes;
    }
    return this.ended ?? 'the shell ended';
  }
  async write(text: string): Promise<void> {
    this.typed.push(text);
  }
  resize: ServedTerminal['resize'] = async () => undefined;
  recheck = async ({ user }: { readonly user: string }) => void this.rechecked.push(user);
  end(sentence: string): void {
    this.ended ??= sentence;
    this.shown.close();
  }
}

async function open() {
  const played: Played[] = [];
  const asked: string[] = [];
  const started = await startHub({
    async openTerminal(session) {
      asked.push(session.user);
      const terminal = new Played();
      played.push(terminal);
      return terminal;
    },
  });
  rig = started;
  const { client } = started.connect();
  const answer = (await client.emitWithAck('terminal-open', ASKED)) as TerminalAnswer;
  if (answer.kind !== 'opened') throw new Error(answer.message);
  return { started, client, played, asked, id: answer.id, terminal: played[0] as Played };
}

describe('terminals over the live socket', () => {
  it('[issue 14.1] are opened as who is signed in, and carry what is typed and what is shown', async () => {
    const { client, asked, id, terminal, started } = await open();
    expect(asked).toEqual([(await started.auth.readSession(started.cookie))?.user]);
    const shown: string[] = [];
    client.on('terminal-output', (of, bytes, taken) => {
      shown.push(`${of} ${Buffer.from(bytes).toString()}`);
      taken();
    });
    await client.emitWithAck('terminal-input', id, 'ls\n');
    await terminal.shown.send(Buffer.from('a file'));
    await expect.poll(() => shown).toEqual([`${id} a file`]);
    expect(terminal.typed).toEqual(['ls\n']);
  });

  it('[issue 14.1] send no more until what was sent is taken', async () => {
    const { client, terminal } = await open();
    const taken: (() => void)[] = [];
    client.on('terminal-output', (_id, _bytes, answer) => taken.push(answer));
    for (const text of ['a', 'b']) await terminal.shown.send(Buffer.from(text));
    void terminal.shown.send(Buffer.from('c'));
    await expect.poll(() => taken.length).toBe(1);
    await client.emitWithAck('terminal-input', 99, 'nothing'); // whatever was under way has come by then
    expect([taken.length, terminal.taken]).toEqual([1, 1]);
    taken[0]?.();
    await expect.poll(() => taken.length).toBe(2);
  });

  it('[issue 14.1] cannot be typed into, sized or closed from another socket, not even of the same person; from its own it can', async () => {
    const { started, client, id, terminal } = await open();
    const { client: other } = started.connect();
    await other.emitWithAck('terminal-input', id, 'rm -rf /');
    other.emit('terminal-close', id);
    await other.emitWithAck('terminal-input', id, 'again');
    expect([terminal.typed, terminal.ended]).toEqual([[], undefined]);
    await client.emitWithAck('terminal-input', id, 'mine');
    client.emit('terminal-close', id);
    await expect.poll(() => terminal.ended).toBe('the page closed it');
    expect(terminal.typed).toEqual(['mine']);
  });

  it('[issue 10.4] that take nothing end when more is typed than a page would send, and nothing heaps up; what is taken is typed on', async () => {
    const { client, id, terminal } = await open();
    for (let at = 0; at < 100; at++) await client.emitWithAck('terminal-input', id, 'x'.repeat(4000));
    expect([terminal.typed.length, terminal.ended]).toEqual([100, undefined]);
    const written: string[] = [];
    terminal.write = (text) => {
      written.push(text);
      return new Promise(() => undefined);
    };
    for (let at = 0; at < 50; at++) client.emit('terminal-input', id, 'y'.repeat(4000), () => undefined);
    await expect.poll(() => terminal.ended).toBe('input arrives faster than the container accepts it');
    expect(written).toHaveLength(8);
  });

  it('[issue 10.4] are told the last of many sizes, and one at a time', async () => {
    const { client, id, terminal } = await open();
    const sizes: number[] = [];
    const told: (() => void)[] = [];
    terminal.resize = ({ columns }: { readonly columns: number }) => {
      sizes.push(columns);
      return new Promise((resolve) => told.push(() => resolve(undefined)));
    };
    for (let columns = 100; columns < 150; columns++) client.emit('terminal-size', id, { columns, rows: 24 });
    await client.emitWithAck('terminal-input', id, 'x'); // all of them have come by then
    expect(sizes).toEqual([100]);
    told[0]?.();
    await expect.poll(() => sizes).toEqual([100, 149]);
  });

  it('[issue 14.1] end with the session and with the socket', async () => {
    const first = await open();
    const session = await first.started.auth.readSession(first.started.cookie);
    if (session === undefined) throw new Error('nobody is signed in');
    await first.started.auth.signOut(session);
    await expect.poll(() => first.terminal.ended).toBeDefined();
    await rig?.[Symbol.asyncDispose]();
    const second = await open();
    second.client.disconnect();
    await expect.poll(() => second.terminal.ended).toBe('the page was closed');
  });

  it('[issue 14.3] are refused with the commands that grant what is missing', async () => {
    const grant = ['kubectl create role slipway-terminal --namespace=shop'];
    rig = await startHub({
      async openTerminal() {
        throw new AppError('forbidden', 'ada may not do this', { details: { grant } });
      },
    });
    const { client } = rig.connect();
    const message = 'ada may not do this';
    expect(await client.emitWithAck('terminal-open', ASKED)).toEqual({ kind: 'refused', code: 'forbidden', message, grant });
  });

  it('[issue 14.1] answer nonsense with a refusal, and open nothing for it', async () => {
    const { client, played } = await open();
    for (const nonsense of [null, {}, { ...ASKED, columns: 1e9 }, { ...ASKED, pod: '' }, { ...ASKED, ns: ['shop'] }]) {
      expect(await client.emitWithAck('terminal-open', nonsense as never)).toMatchObject({ kind: 'refused', code: 'invalid' });
    }
    client.emit('terminal-input', 'x' as never, { a: 1 } as never, 'no function' as never);
    client.emit('terminal-size', 1, null as never);
    expect(await client.emitWithAck('terminal-input', 1, 'still here')).toBeUndefined();
    expect(played).toHaveLength(1);
  });

  it('[issue 14.1] ask for the right of each anew every four seconds', async () => {
    const { terminal } = await open();
    await expect.poll(() => terminal.rechecked.length, { timeout: 6000 }).toBeGreaterThan(0);
  });
});
