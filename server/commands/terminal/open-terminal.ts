import { AppError, messageOf } from '@/lib/contract/app-error';
import type { TerminalRequest, TerminalSize } from '@/lib/contract/terminal';
import { MAX_TERMINALS, TERMINAL_IDLE_MS } from '@/lib/contract/terminal';
import { formatDuration } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Cluster, Connected } from '@/server/kube';
import type { Release } from '@/server/platform';
import { containersOf } from '@/server/status';
import type { CommandDeps } from '../command-deps';
import { PerPersonLimit } from '../per-person-limit';
import { connectToPod, findPod } from '../pod-access/connect-to-pod';
import { PodAccess } from '../pod-access/pod-access';
import { EXEC_PROTOCOL, readExecMessage, toInput, toResize } from './exec-channels';

/** A shell of the image; the better one where it is there. */
const SHELL = ['/bin/sh', '-c', 'TERM=xterm-256color; export TERM; [ -x /bin/bash ] && exec /bin/bash || exec /bin/sh'] as const;

/** A terminal in a container, opened as a person. */
export interface Terminal {
  readonly container: string;
  /** What the container writes, no faster than it is taken; at last the sentence of why it ended. */
  output(): AsyncGenerator<Uint8Array, string, void>;
  write(text: string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
  /** Goes on as a person whose right is asked for anew; ends where it is gone. */
  recheck(session: Session, notBefore: Instant): Promise<void>;
  end(sentence: string): void;
}

/** Opens terminals: authorised, on record with who and where, and with nothing of what is typed or shown. */
export function createOpenTerminal(deps: CommandDeps) {
  const places = new PerPersonLimit(MAX_TERMINALS);
  return async (session: Session, asked: TerminalRequest, signal: AbortSignal): Promise<Terminal> => {
    const { ns, pod } = asked;
    await deps.auth.authorise(session, { kind: 'open-terminal', ns, pod });
    if (!deps.terminals) throw new AppError('rejected', 'terminals are turned off on this server, by its setting --terminal off');
    await deps.requireRecord();
    const cluster = deps.cluster.as(session.person);
    const container = await findContainer(cluster, asked, signal);
    const free = places.take(session.user);
    if (free === undefined)
      throw new AppError('too-many', `${session.user} has ${MAX_TERMINALS} terminals open, which is the limit for one person: close one`);
    try {
      const connected = await connect(deps, cluster, { ...asked, container }, signal);
      return await OpenTerminal.start(deps, { session, asked, container, connected, free, idle: { cancel: () => undefined } });
    } catch (error) {
      free();
      throw error;
    }
  };
}

/** The container that is named, else the one that the pod calls its own, else the first. */
async function findContainer(cluster: Cluster, asked: TerminalRequest, signal: AbortSignal): Promise<string> {
  const { pod, container } = asked;
  const found = await findPod(cluster, asked, signal);
  const names = containersOf(found).flatMap(({ name, kind }) => (kind === 'init' ? [] : [name]));
  const wanted = container ?? found.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  if (container !== undefined) throw new AppError('not-found', `pod ${pod} has no container ${container}; it has ${names.join(', ')}`);
  const [first] = names;
  if (first === undefined) throw new AppError('not-found', `pod ${pod} has no container`);
  return first;
}

async function connect(
  { clock }: CommandDeps,
  cluster: Cluster,
  asked: TerminalRequest & { readonly container: string },
  signal: AbortSignal,
): Promise<Connected> {
  const { ns, pod, container } = asked;
  const query = new URLSearchParams([
    ...SHELL.map((word) => ['command', word]),
    ['container', container],
    ['stdin', 'true'],
    ['stdout', 'true'],
    ['tty', 'true'],
  ]);
  const silence = `no shell started in container ${container} of pod ${pod}`;
  const connected = await connectToPod(clock, cluster, { ns, pod, subresource: `exec?${query}`, protocol: EXEC_PROTOCOL, signal, silence });
  await connected.send(toResize(asked));
  return connected;
}

interface Started {
  readonly session: Session;
  readonly asked: TerminalRequest;
  readonly container: string;
  readonly connected: Connected;
  readonly free: Release;
  /** Forgets to end it when nothing is typed. */
  readonly idle: { cancel: Release };
}

class OpenTerminal implements Terminal {
  readonly container: string;
  readonly #deps: CommandDeps;
  readonly #connected: Connected;
  readonly #held: PodAccess;
  readonly #idle: { cancel: Release };

  private constructor(deps: CommandDeps, { container, connected, idle }: Started, held: PodAccess) {
    this.container = container;
    this.#deps = deps;
    this.#connected = connected;
    this.#held = held;
    this.#idle = idle;
    this.#stir();
  }

  static async start(deps: CommandDeps, started: Started): Promise<OpenTerminal> {
    const { session, asked, container, connected, free, idle } = started;
    const held = await PodAccess.start(deps, session, {
      act: { kind: 'open-terminal', ns: asked.ns, pod: asked.pod },
      action: 'terminal',
      opened: `opened a terminal in container ${container}`,
      subject: `a terminal in container ${container}`,
      release() {
        idle.cancel();
        connected.close();
        free();
      },
    });
    return new OpenTerminal(deps, started, held);
  }

  async *output(): AsyncGenerator<Uint8Array, string, void> {
    try {
      for await (const message of this.#connected.messages) {
        if (this.#held.ended !== undefined) break; // what waited when it ended is told no more
        const read = readExecMessage(message);
        if (read?.kind === 'output') yield read.bytes;
        if (read?.kind === 'ended') this.end(read.sentence);
      }
      this.end('the shell ended');
    } catch (error) {
      this.end(messageOf(error));
    } finally {
      this.end('the page was closed');
    }
    return this.#held.ended ?? '';
  }

  write(text: string): Promise<void> {
    if (this.#held.ended !== undefined) return Promise.resolve();
    this.#stir();
    return this.#connected.send(toInput(text));
  }

  resize(size: TerminalSize): Promise<void> {
    return this.#held.ended === undefined ? this.#connected.send(toResize(size)) : Promise.resolve();
  }

  recheck(session: Session, notBefore: Instant): Promise<void> {
    return this.#held.recheck(session, notBefore);
  }

  end(sentence: string): void {
    this.#held.end(sentence);
  }

  #stir(): void {
    this.#idle.cancel();
    this.#idle.cancel = this.#deps.clock.schedule(TERMINAL_IDLE_MS, () =>
      this.end(`nothing was typed for ${formatDuration(TERMINAL_IDLE_MS)}`),
    );
  }
}
