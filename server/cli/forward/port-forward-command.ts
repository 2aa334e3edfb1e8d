import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import { portNumber } from '@/lib/contract/streams/forward';
import { realClock } from '@/server/platform';
import type { Client } from '../client';
import type { PortForward } from './port-forward';
import { openPortForward } from './port-forward';

const LOOPBACK = '127.0.0.1';

export interface PortForwardOptions {
  readonly namespace: string;
}

/** The command as it was typed. */
interface PortForwardCall {
  readonly pod: string;
  readonly ports: readonly string[];
  readonly options: PortForwardOptions;
}

export interface PortForwardDeps {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly fail: (code?: number) => void;
  readonly connect: () => Promise<Client>;
  /** Ends when whoever runs the command has enough of it. */
  readonly leaving: () => AbortSignal;
}

/** A port on this machine, 0 for any free one, and the port of the pod behind it. */
interface Pair {
  readonly local: number;
  readonly remote: number;
}

/** The arguments and options of `slipway port-forward`. */
export function describePortForward(command: Command): Command {
  return command
    .description('Forwards ports of this machine, on loopback, to ports of a pod, as the person who is signed in, until it is interrupted.')
    .argument('<pod>', 'pod/NAME, or its name alone')
    .argument('<ports...>', 'LOCAL:REMOTE, PORT where both are the same, or :REMOTE for any free local port')
    .option('-n, --namespace <namespace>', 'its namespace', 'default');
}

/** Forwards until the right, the session, the server or the person ends it; whatever goes wrong is a sentence and an exit code. */
export async function runPortForward({ pod, ports, options }: PortForwardCall, deps: PortForwardDeps): Promise<void> {
  const listeners: Server[] = [];
  try {
    const pairs = ports.map(parsePair);
    const asked = { ns: options.namespace, pod: parsePod(pod), ports: [...new Set(pairs.map(({ remote }) => remote))] };
    await using client = await deps.connect();
    const line = await openPortForward(client.socket, asked, realClock);
    try {
      for (const pair of pairs) listeners.push(await listen(pair, line, deps));
      const sentence = await Promise.race([line.ended, untilAborted(deps.leaving())]);
      if (sentence !== undefined) throw new Error(sentence);
    } finally {
      for (const listener of listeners) listener.close();
      line.close();
    }
  } catch (error) {
    deps.warn(`error: ${error instanceof Error ? error.message : String(error)}`);
    deps.fail(1);
  }
}

function parsePod(written: string): string {
  const [first = '', name, more] = written.split('/');
  if (name === undefined) return first;
  if (!['pod', 'pods', 'po'].includes(first) || name === '' || more !== undefined)
    throw new Error(`port-forward needs pod/NAME, found ${written}`);
  return name;
}

function parsePair(written: string): Pair {
  const [first = '', second = first, more] = written.split(':');
  const remote = portNumber.safeParse(Number(second)).data;
  const local = first === '' || first === '0' ? 0 : portNumber.safeParse(Number(first)).data;
  if (remote === undefined || local === undefined || more !== undefined) {
    throw new Error(`a port must be LOCAL:REMOTE, PORT or :REMOTE, each 1 to 65535, found ${written}`);
  }
  return { local, remote };
}

/** Only programs of this machine connect: what listens here acts with the rights of whoever runs it. */
async function listen({ local, remote }: Pair, line: PortForward, { print, warn }: PortForwardDeps): Promise<Server> {
  const carry = async (socket: Socket) => {
    print(`Connection to port ${remote}`);
    const wrong = await line.carry(socket, remote);
    if (wrong !== null) warn(`port ${remote}: ${wrong}`);
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => void carry(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(new Error(`cannot listen on port ${local} of ${LOOPBACK}: ${message}`)));
    server.listen(local, LOOPBACK, resolve);
  });
  print(`Forwarding from ${LOOPBACK}:${(server.address() as AddressInfo).port} -> ${remote}`); // a port was listened on
  return server;
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
