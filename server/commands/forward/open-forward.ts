import { AppError, messageOf } from '@/lib/contract/app-error';
import type { ForwardRequest } from '@/lib/contract/streams/forward';
import { MAX_FORWARD_CONNECTIONS, MAX_FORWARDS } from '@/lib/contract/streams/forward';
import { readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Connected } from '@/server/kube';
import type { CommandDeps } from '../command-deps';
import { PerPersonLimit } from '../per-person-limit';
import { connectToPod, findPod } from '../pod-access/connect-to-pod';
import { PodAccess } from '../pod-access/pod-access';
import { FORWARD_PROTOCOL, PortReader, toPort } from './port-channels';

/** One connection to a port of a pod. */
export interface Forwarded {
  /** What the port sends, no faster than it is taken; at last what was wrong, where something was. */
  output(): AsyncGenerator<Uint8Array, string | null, void>;
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** Ports of a pod that a person has forwarded. */
export interface Forward {
  connect(port: number, signal: AbortSignal): Promise<Forwarded>;
  /** Goes on as a person whose right is asked for anew; ends where it is gone. */
  recheck(session: Session, notBefore: Instant): Promise<void>;
  end(sentence: string): void;
  /** Hears why it ended, once. */
  onEnd(listener: (sentence: string) => void): void;
}

/** Forwards ports of pods: authorised, as the person, on record with who and where, and with nothing of what is sent. */
export function createOpenForward(deps: CommandDeps) {
  const places = new PerPersonLimit(MAX_FORWARDS);
  return async (session: Session, asked: ForwardRequest, signal: AbortSignal): Promise<Forward> => {
    const { ns, pod, ports } = asked;
    await deps.auth.authorise(session, { kind: 'forward-ports', ns, pod });
    if (!deps.terminals) throw new AppError('rejected', 'forwarding ports is turned off on this server, by its setting --terminal off');
    if (deps.nothingRuns !== undefined) throw new AppError('rejected', deps.nothingRuns);
    await deps.requireRecord();
    const phase = readString(await findPod(deps.cluster.as(session.person), asked, signal), 'status', 'phase') ?? 'unknown';
    if (phase !== 'Running')
      throw new AppError('rejected', `pod ${pod} must be running for its ports to be forwarded, found phase ${phase}`);
    const free = places.take(session.user);
    if (free === undefined)
      throw new AppError('too-many', `${session.user} forwards ports of ${MAX_FORWARDS} pods, which is the limit for one person: end one`);
    const open = new Set<Connected>();
    const hearers = new Set<() => void>();
    const said = ports.length === 1 ? `port ${ports[0]}` : `ports ${ports.join(', ')}`;
    const held = await PodAccess.start(deps, session, {
      act: { kind: 'forward-ports', ns, pod },
      action: 'port-forward',
      opened: `started forwarding ${said}`,
      subject: `forwarding ${said}`,
      release() {
        for (const connected of open) connected.close();
        free();
        for (const hear of hearers) hear();
      },
    });
    const holding: Holding = { deps, session, asked, held, open, connections: 0 };
    return {
      connect: (port, stop) => connect(holding, port, stop),
      recheck: (now, notBefore) => held.recheck(now, notBefore),
      end: (sentence) => held.end(sentence),
      onEnd(listener) {
        const hear = () => listener(held.ended ?? '');
        if (held.ended === undefined) hearers.add(hear);
        else hear();
      },
    };
  };
}

interface Holding {
  readonly deps: CommandDeps;
  readonly session: Session;
  readonly asked: ForwardRequest;
  readonly held: PodAccess;
  readonly open: Set<Connected>;
  /** Connections that are open or being opened. */
  connections: number;
}

async function connect(holding: Holding, port: number, signal: AbortSignal): Promise<Forwarded> {
  const { deps, session, asked, held, open } = holding;
  const { ns, pod, ports } = asked;
  if (held.ended !== undefined) throw new AppError('rejected', held.ended);
  if (!ports.includes(port)) throw new AppError('invalid', `port ${port} is not forwarded; ${ports.join(', ')} are`);
  if (holding.connections >= MAX_FORWARD_CONNECTIONS)
    throw new AppError('too-many', `${MAX_FORWARD_CONNECTIONS} connections are open through this forward, which is its limit`);
  const silence = `no connection to port ${port} of pod ${pod} was opened`;
  const wanted = { ns, pod, subresource: `portforward?ports=${port}`, protocol: FORWARD_PROTOCOL, signal, silence };
  holding.connections++;
  try {
    const connected = await connectToPod(deps.clock, deps.cluster.as(session.person), wanted);
    if (held.ended !== undefined) {
      connected.close();
      throw new AppError('rejected', held.ended);
    }
    open.add(connected);
    const over = () => {
      if (open.delete(connected)) holding.connections--;
    };
    return { output: () => readPort(connected, over), write: (bytes) => connected.send(toPort(bytes)), close: () => connected.close() };
  } catch (error) {
    holding.connections--;
    throw error;
  }
}

async function* readPort(connected: Connected, over: () => void): AsyncGenerator<Uint8Array, string | null, void> {
  const reader = new PortReader();
  let wrong: string | null = null;
  try {
    for await (const message of connected.messages) {
      const read = reader.read(message);
      if (read?.kind === 'data') yield read.bytes;
      if (read?.kind === 'wrong') wrong = read.sentence;
    }
  } catch (error) {
    wrong ??= messageOf(error);
  } finally {
    connected.close();
    over();
  }
  return wrong;
}
