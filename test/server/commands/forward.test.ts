import { describe, expect, it } from 'vitest';
import { MAX_FORWARD_CONNECTIONS, MAX_FORWARDS } from '@/lib/contract/streams/forward';
import type { KubeObject } from '@/lib/kube/object';
import type { Connected } from '@/server/kube';
import { KubeApiError, NO_CONTAINERS } from '@/server/kube';
import { playConnections } from './played-connections';
import type { CommandRules } from './rig';
import { createCommandRig } from './rig';

const ASKED = { ns: 'shop', pod: 'web', ports: [80, 9090] };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name: 'web', uid: 'u' },
  status: { phase: 'Running' },
} as KubeObject;
const never = new AbortController().signal;

/** Commands over a cluster whose ports the test plays. */
async function open(rules: CommandRules = {}) {
  const { connections, connect } = playConnections(4);
  const rig = await createCommandRig({ objects: [POD], connect, ...rules });
  const ask = (over: Partial<typeof ASKED> = {}) => rig.commands.openForward(rig.session, { ...ASKED, ...over }, never);
  const recorded = () => rig.recorded.map(({ action, actor, message, about }) => ({ action, actor, message, name: about.name }));
  return { ...rig, ask, connections, recorded };
}

async function readAll(output: AsyncGenerator<Uint8Array, string | null, void>) {
  let text = '';
  let next = await output.next();
  for (; !next.done; next = await output.next()) text += Buffer.from(next.value).toString();
  return { text, wrong: next.value };
}

const channel = (number: number, bytes: string | readonly number[]) => Buffer.concat([Buffer.from([number]), Buffer.from(bytes as string)]);

describe('a forward', () => {
  it('[issue 14.1] connects to a port as the person, and carries what both sides say, without the number of the port that the kubelet says first', async () => {
    const { ask, connections, session } = await open();
    const connection = await (await ask()).connect(80, never);
    const [played] = connections;
    expect([played?.request.path, played?.request.protocol, played?.person]).toEqual([
      '/api/v1/namespaces/shop/pods/web/portforward?ports=80',
      'v4.channel.k8s.io',
      session.person,
    ]);
    const all = readAll(connection.output());
    await connection.write(Buffer.from('GET /'));
    for (const message of [channel(0, [80, 0]), channel(1, [80, 0]), channel(0, 'o'), channel(0, 'k')])
      await played?.messages.send(message);
    played?.messages.close();
    expect(await all).toEqual({ text: 'ok', wrong: null });
    expect(played?.sent.map((sent) => [sent[0], sent.subarray(1).toString()])).toEqual([[0, 'GET /']]);
  });

  it('[issue 14.1] tells what the kubelet says is wrong with the port', async () => {
    const { ask, connections } = await open();
    const connection = await (await ask()).connect(9090, never);
    const all = readAll(connection.output());
    for (const message of [channel(0, [130, 35]), channel(1, [130, 35]), channel(1, 'connection refused\n')])
      await connections[0]?.messages.send(message);
    connections[0]?.messages.close();
    expect(await all).toEqual({ text: '', wrong: 'connection refused' });
  });

  it('[issue 14.1] tells how the connection to a port broke, and what was wrong before that', async () => {
    for (const said of [[], [channel(1, 'PPconnection refused')]]) {
      async function* broken() {
        yield* said;
        throw new Error('the connection broke');
      }
      const connect = async () => ({ messages: broken(), close: () => undefined }) as unknown as Connected;
      const { ask, recorded } = await open({ connect });
      const forward = await ask({ ports: [80] });
      const wrong = said.length === 0 ? 'the connection broke' : 'connection refused';
      expect(await readAll((await forward.connect(80, never)).output())).toEqual({ text: '', wrong });
      expect(recorded()[0]?.message).toBe('started forwarding port 80');
    }
  });

  it('[issue 14.1] is on record with who, where and how it ended, and with nothing of what was sent', async () => {
    const { ask, connections, recorded, session, clock } = await open();
    const forward = await ask();
    const connection = await forward.connect(80, never);
    await connection.write(Buffer.from('planted-17'));
    await clock.advance(65_000);
    forward.end('the client left');
    expect(recorded()).toEqual([
      { action: 'port-forward.open', actor: session.user, message: 'started forwarding ports 80, 9090', name: 'web' },
      {
        action: 'port-forward.end',
        actor: session.user,
        message: 'forwarding ports 80, 9090 ended after 1m 5s: the client left',
        name: 'web',
      },
    ]);
    expect(connections[0]?.closed).toBe(true);
    await expect(forward.connect(80, never)).rejects.toThrow('the client left');
    expect(connections).toHaveLength(1);
  });

  it('[issue 14.1] is refused to who may not create pods/portforward, whatever else they may; with the right it opens', async () => {
    const without = await open({ may: ({ verb, subresource }) => subresource !== 'portforward' || verb === 'get' });
    await expect(without.ask()).rejects.toThrow(
      /operator may not do this: it requires the right "create" on pods\/portforward web in namespace shop/,
    );
    expect([without.connections.length, without.recorded()]).toEqual([0, []]);
    const held = await open({ may: ({ subresource }) => subresource !== 'exec' });
    await (await held.ask()).connect(80, never);
    expect(held.connections).toHaveLength(1);
  });

  it('[issue 14.1] ends with all its connections as soon as the right is gone, and goes on while the cluster cannot be asked', async () => {
    let may: 'yes' | 'no' | 'silent' = 'yes';
    const { ask, session, clock, connections } = await open({
      may() {
        if (may === 'silent') throw new Error('the API server does not answer');
        return may === 'yes';
      },
    });
    const forward = await ask();
    const ended: string[] = [];
    forward.onEnd((sentence) => ended.push(sentence));
    await forward.connect(80, never);
    await forward.connect(9090, never);
    may = 'silent';
    await clock.advance(4000);
    await forward.recheck(session, clock.now());
    expect(connections.map(({ closed }) => closed)).toEqual([false, false]);
    may = 'no';
    await clock.advance(4000);
    await forward.recheck(session, clock.now());
    expect(connections.map(({ closed }) => closed)).toEqual([true, true]);
    expect(ended).toEqual([expect.stringMatching(/operator may not do this/)]);
  });

  it('[issue 14.1] is refused where no container runs, where the setting turns it off, to a pod that is not running, and to a port that was not asked for', async () => {
    await expect((await open({ nothingRuns: NO_CONTAINERS })).ask()).rejects.toThrow('no container runs in it');
    await expect((await open({ terminals: false })).ask()).rejects.toThrow('turned off on this server');
    const pending = { ...POD, status: { phase: 'Pending' } } as KubeObject;
    await expect((await open({ objects: [pending] })).ask()).rejects.toThrow(
      'pod web must be running for its ports to be forwarded, found phase Pending',
    );
    const { ask, connections } = await open();
    await expect(ask({ pod: 'nobody' })).rejects.toThrow('there is no pod nobody in namespace shop');
    await expect((await ask()).connect(22, never)).rejects.toThrow('port 22 is not forwarded; 80, 9090 are');
    expect(connections).toEqual([]);
    const refused = await open({
      connect: () => Promise.reject(new KubeApiError({ code: 403, reason: 'Forbidden', message: 'user "ada" cannot' })),
    });
    await expect((await refused.ask()).connect(80, never)).rejects.toMatchObject({ code: 'forbidden', message: 'user "ada" cannot' });
  });

  it('[issue 14.1] is one of ten of a person, and has a hundred connections; places come back', async () => {
    const { ask } = await open();
    const held = await Promise.all(Array.from({ length: MAX_FORWARDS }, () => ask()));
    await expect(ask()).rejects.toThrow('10 pods');
    held[0]?.end('done');
    const forward = await ask();
    const open100 = await Promise.all(Array.from({ length: MAX_FORWARD_CONNECTIONS }, () => forward.connect(80, never)));
    await expect(forward.connect(80, never)).rejects.toThrow('100 connections');
    const output = readAll(open100[0]?.output() ?? (undefined as never));
    open100[0]?.close();
    await output;
    await expect(forward.connect(80, never)).resolves.toBeDefined();
  });

  it('[issue 14.1] gives back the place of a connection that did not come about, or whose reader asks twice for its end', async () => {
    let refuses = true;
    const { connect } = playConnections(4);
    const rules: CommandRules = {
      connect: (asked, person) => (refuses ? Promise.reject(new Error('the kubelet does not answer')) : connect(asked, person)),
    };
    const forward = await (await open(rules)).ask();
    for (let at = 0; at < MAX_FORWARD_CONNECTIONS; at++)
      await expect(forward.connect(80, never)).rejects.toThrow('the kubelet does not answer');
    refuses = false;
    const all = await Promise.all(Array.from({ length: MAX_FORWARD_CONNECTIONS }, () => forward.connect(80, never)));
    const [first] = all;
    first?.close();
    for (let at = 0; at < 2; at++) await readAll(first?.output() ?? (undefined as never));
    await forward.connect(80, never);
    await expect(forward.connect(80, never)).rejects.toThrow('100 connections');
  });

  it('[issue 14.1] counts connections that are still being opened', async () => {
    const { connect } = playConnections(4);
    let opens: () => void = () => undefined;
    const mayOpen = new Promise<void>((resolve) => {
      opens = resolve;
    });
    const forward = await (await open({ connect: (asked, person) => mayOpen.then(() => connect(asked, person)) })).ask();
    const all = Array.from({ length: MAX_FORWARD_CONNECTIONS }, () => forward.connect(80, never));
    await expect(forward.connect(80, never)).rejects.toMatchObject({ code: 'too-many' });
    opens();
    expect(await Promise.all(all)).toHaveLength(MAX_FORWARD_CONNECTIONS);
  });

  it('[issue 14.1] that ended while a connection was being opened closes it, and hands it to nobody', async () => {
    const { connections, connect } = playConnections(4);
    let opens: () => void = () => undefined;
    const mayOpen = new Promise<void>((resolve) => {
      opens = resolve;
    });
    const { ask } = await open({ connect: (asked, person) => mayOpen.then(() => connect(asked, person)) });
    const forward = await ask();
    const late = forward.connect(80, never);
    forward.end('operator may not do this any more');
    opens();
    await expect(late).rejects.toMatchObject({ code: 'rejected', message: 'operator may not do this any more' });
    expect(connections.map(({ closed }) => closed)).toEqual([true]);
  });

  it('[issue 14.1] tells why it ended once, also to who asks after the end', async () => {
    const forward = await (await open()).ask();
    const told: string[] = [];
    forward.onEnd((why) => told.push(`before: ${why}`));
    forward.end('the client left');
    forward.end('again');
    forward.onEnd((why) => told.push(`after: ${why}`));
    expect(told).toEqual(['before: the client left', 'after: the client left']);
  });

  it('[design 14] that cannot be put on record does not begin, and holds no place', async () => {
    const rig = await createCommandRig({ objects: [POD], connect: playConnections(4).connect });
    const ask = () => rig.commands.openForward(rig.session, ASKED, never);
    const get = rig.cluster.objects.get.bind(rig.cluster.objects);
    // The store goes down after it was asked whether it is there, and before the beginning is written.
    rig.cluster.objects.get = (key) => {
      rig.unrecorded = new Error('the store is down');
      return get(key);
    };
    for (let at = 0; at < MAX_FORWARDS; at++) {
      rig.unrecorded = null;
      await expect(ask()).rejects.toThrow('the store is down');
    }
    expect(rig.recorded).toEqual([]);
    rig.cluster.objects.get = get;
    rig.unrecorded = null;
    expect(await Promise.all(Array.from({ length: MAX_FORWARDS }, ask))).toHaveLength(MAX_FORWARDS);
    await expect(ask()).rejects.toMatchObject({ code: 'too-many' });
  });
});
