import { describe, expect, it } from 'vitest';
import type { TerminalRequest } from '@/lib/contract/terminal';
import { MAX_TERMINALS } from '@/lib/contract/terminal';
import type { KubeObject } from '@/lib/kube/object';
import type { Connected } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import { playConnections } from './played-connections';
import { createCommandRig } from './rig';

const ASKED: TerminalRequest = { ns: 'shop', pod: 'web', columns: 80, rows: 24 };
const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: 'web', uid: 'u' },
  spec: { containers: [{ name: 'app' }, { name: 'side' }] },
} as KubeObject;

/** Commands over a cluster whose containers the test plays. */
async function open(rules: FakeRules & { readonly terminals?: boolean } = {}) {
  const { connections, connect } = playConnections(1);
  const rig = await createCommandRig({ objects: [POD], connect, ...rules });
  const ask = (asked: Partial<TerminalRequest> = {}) =>
    rig.commands.openTerminal(rig.session, { ...ASKED, ...asked }, new AbortController().signal);
  const recorded = () => rig.recorded.map(({ action, actor, message, about }) => ({ action, actor, message, name: about.name }));
  return { ...rig, ask, connections, recorded };
}

/** All that a terminal shows, and why it ended. */
async function readAll(output: AsyncGenerator<Uint8Array, string, void>) {
  let text = '';
  let next = await output.next();
  for (; !next.done; next = await output.next()) text += Buffer.from(next.value).toString();
  return { text, end: next.value };
}

const channel = (number: number, text: string) => Buffer.concat([Buffer.from([number]), Buffer.from(text)]);

describe('a terminal', () => {
  it('[issue 14.1] is opened as the person, with a shell in the container, and shows what that writes', async () => {
    const { ask, connections, session } = await open();
    const terminal = await ask();
    const [connection] = connections;
    const url = new URL(connection?.request.path ?? '', 'http://cluster');
    expect([url.pathname, url.searchParams.get('container'), url.searchParams.get('tty'), connection?.request.protocol]).toEqual([
      '/api/v1/namespaces/shop/pods/web/exec',
      'app',
      'true',
      'v5.channel.k8s.io',
    ]);
    expect(connection?.person).toEqual(session.person);
    await terminal.write('ls\n');
    await terminal.resize({ columns: 100, rows: 30 });
    expect(connection?.sent.map((sent) => [sent[0], sent.subarray(1).toString()])).toEqual([
      [4, '{"Width":80,"Height":24}'],
      [0, 'ls\n'],
      [4, '{"Width":100,"Height":30}'],
    ]);
    const all = readAll(terminal.output());
    await connection?.messages.send(channel(1, 'a file'));
    const status = {
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'x',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    };
    await connection?.messages.send(channel(3, JSON.stringify(status)));
    expect(await all).toEqual({ text: 'a file', end: 'the shell ended with exit code 3' });
  });

  it('[issue 14.1] is on record with who, where and how it ended, and with nothing of what was typed or shown', async () => {
    const { ask, connections, recorded, session, clock } = await open();
    const terminal = await ask({ container: 'side' });
    const all = readAll(terminal.output());
    await terminal.write('export PASSWORD=planted-17');
    await connections[0]?.messages.send(channel(1, 'planted-18'));
    await clock.advance(65_000);
    terminal.end('the page closed it');
    await all;
    expect(recorded()).toEqual([
      { action: 'terminal.open', actor: session.user, message: 'opened a terminal in container side', name: 'web' },
      {
        action: 'terminal.end',
        actor: session.user,
        message: 'a terminal in container side ended after 1m 5s: the page closed it',
        name: 'web',
      },
    ]);
    expect(connections[0]?.closed).toBe(true);
  });

  it('[issue 14.1] is refused to who may not create pods/exec, before anything is connected; with the right it opens', async () => {
    const without = await open({ may: ({ subresource }) => subresource !== 'exec' });
    await expect(without.ask()).rejects.toThrow(
      /operator may not do this: it requires the right "create" on pods\/exec web in namespace shop/,
    );
    expect([without.connections.length, without.recorded()]).toEqual([0, []]);
    const lies = await open({ may: ({ verb, subresource }) => subresource !== 'exec' || verb === 'get' });
    await expect(lies.ask()).rejects.toThrow('create'); // to look is not to run
    expect((await open({ may: () => true })).connections).toHaveLength(0);
    const held = await open({ may: () => true });
    await held.ask();
    expect(held.connections).toHaveLength(1);
  });

  it('[issue 14.1] ends as soon as the right is gone, and goes on while the cluster cannot be asked', async () => {
    let may: 'yes' | 'no' | 'silent' = 'yes';
    const { ask, session, clock, connections } = await open({
      may() {
        if (may === 'silent') throw new Error('the API server does not answer');
        return may === 'yes';
      },
    });
    const terminal = await ask();
    const all = readAll(terminal.output());
    may = 'silent';
    await clock.advance(4000);
    await terminal.recheck(session, clock.now());
    expect(connections[0]?.closed).toBe(false);
    may = 'no';
    await clock.advance(4000);
    await terminal.recheck(session, clock.now());
    await terminal.write('rm -rf /');
    expect((await all).end).toMatch(/operator may not do this/);
    expect([connections[0]?.closed, connections[0]?.sent.length]).toEqual([true, 1]);
  });

  it('[issue 14.1] ends when nothing was typed for 15 minutes, whatever it shows', async () => {
    const { ask, clock, connections } = await open();
    const terminal = await ask();
    const all = readAll(terminal.output());
    await clock.advance(14 * 60_000);
    await terminal.write('x');
    await clock.advance(14 * 60_000);
    await connections[0]?.messages.send(channel(1, 'busy'));
    expect(connections[0]?.closed).toBe(false);
    await clock.advance(60_000);
    expect((await all).end).toBe('nothing was typed for 15m');
  });

  it('[design 8] tells nothing of what waited when it ended, and takes nothing any more', async () => {
    const { ask, connections } = await open();
    const terminal = await ask();
    await connections[0]?.messages.send(channel(1, 'came too late'));
    const sent = connections[0]?.sent.length;
    terminal.end('the right is gone');
    await terminal.write('ls\n');
    await terminal.resize({ columns: 100, rows: 30 });
    expect(await readAll(terminal.output())).toEqual({ text: '', end: 'the right is gone' });
    expect([connections[0]?.sent.length, connections[0]?.closed]).toEqual([sent, true]);
  });

  it('[issue 10.3] does not begin where it cannot be recorded after all, and takes up no place', async () => {
    const played = playConnections(1);
    const rig = await createCommandRig({
      objects: [POD],
      connect: (request, person) => {
        rig.unrecorded = new Error('the store is down');
        return played.connect(request, person);
      },
    });
    const ask = () => rig.commands.openTerminal(rig.session, ASKED, new AbortController().signal);
    for (let at = 0; at <= MAX_TERMINALS; at++) {
      rig.unrecorded = null;
      await expect(ask()).rejects.toThrow('the store is down');
    }
    expect(played.connections.map(({ closed }) => closed)).toEqual(played.connections.map(() => true));
    expect([played.connections.length, rig.recorded]).toEqual([MAX_TERMINALS + 1, []]);
  });

  it('[issue 14.1] is not opened where the setting turns terminals off, nor beyond ten of a person, whose places come back', async () => {
    await expect((await open({ terminals: false })).ask()).rejects.toThrow('turned off on this server');
    const { ask } = await open();
    const held = await Promise.all(Array.from({ length: MAX_TERMINALS }, () => ask()));
    await expect(ask()).rejects.toThrow('10 terminals open');
    held[0]?.end('done');
    await expect(ask()).resolves.toMatchObject({ container: 'app' });
  });

  it('[issue 14.1] tells what is not there, and what the cluster says no with', async () => {
    const { ask } = await open();
    await expect(ask({ pod: 'nobody' })).rejects.toThrow('there is no pod nobody in namespace shop');
    await expect(ask({ container: 'none' })).rejects.toThrow('pod web has no container none; it has app, side');
    const refused = await open({
      connect: () =>
        Promise.reject(new KubeApiError({ code: 403, reason: 'Forbidden', message: 'user "ada" cannot get resource "pods/exec"' })),
    });
    await expect(refused.ask()).rejects.toMatchObject({ code: 'forbidden', message: 'user "ada" cannot get resource "pods/exec"' });
    expect(refused.recorded()).toEqual([]);
  });

  it('[issue 14.1] is in the container that the pod names, else in the first that is no init container', async () => {
    const named = { ...POD, metadata: { ...POD.metadata, annotations: { 'kubectl.kubernetes.io/default-container': 'side' } } };
    expect((await (await open({ objects: [named] })).ask()).container).toBe('side');
    const withInit = { ...POD, spec: { initContainers: [{ name: 'init' }], containers: [{ name: 'app' }] } } as KubeObject;
    const { ask } = await open({ objects: [withInit] });
    expect((await ask()).container).toBe('app');
    await expect(ask({ container: 'init' })).rejects.toThrow('pod web has no container init; it has app');
    await expect((await open({ objects: [{ ...POD, spec: {} }] })).ask()).rejects.toThrow('pod web has no container');
  });

  it('[issue 14.1] tells how the connection broke, and goes on after a message that says nothing', async () => {
    async function* broken() {
      yield channel(1, '');
      yield channel(2, 'an error');
      throw new Error('the connection broke');
    }
    const { ask } = await open({
      connect: async () => ({ messages: broken(), send: async () => undefined, close: () => undefined }) as unknown as Connected,
    });
    expect(await readAll((await ask()).output())).toEqual({ text: 'an error', end: 'the connection broke' });
  });

  it('[issue 14.1] ends when the page that reads it is closed', async () => {
    const { ask, connections, recorded } = await open();
    const output = (await ask()).output();
    const first = output.next();
    await connections[0]?.messages.send(channel(1, 'a file'));
    await first;
    await output.return('');
    expect([connections[0]?.closed, recorded().at(-1)?.message]).toEqual([true, expect.stringContaining('the page was closed')]);
  });
});
