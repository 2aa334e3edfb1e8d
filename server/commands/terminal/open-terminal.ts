import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { TerminalAsked, TerminalSize } from '@/lib/contract/terminal';
import { MOST_TERMINALS, TERMINAL_IDLE_MS } from '@/lib/contract/terminal';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectAddress } from '@/lib/kube/object';
import { formatDuration } from '@/lib/std/duration';
import type { Instant } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { Cluster, Connected } from '@/server/kube';
import { getApiStatus, isNotFound } from '@/server/kube';
import type { Release } from '@/server/platform';
import { containersOf } from '@/server/status';
import type { CommandDeps } from '../command-deps';
import { PersonPlaces } from '../person-places';
import { EXEC_PROTOCOL, readExecMessage, toInput, toResize } from './exec-channels';

/** A shell of the image; the better one where it is there. */
const SHELL = ['/bin/sh', '-c', 'TERM=xterm-256color; export TERM; [ -x /bin/bash ] && exec /bin/bash || exec /bin/sh'] as const;
const OPEN_LIMIT_MS = 15_000;

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
  const places = new PersonPlaces(MOST_TERMINALS);
  return async (session: Session, asked: TerminalAsked, signal: AbortSignal): Promise<Terminal> => {
    const { ns, pod } = asked;
    await deps.auth.authorise(session, { kind: 'open-terminal', ns, pod });
    if (!deps.terminals) throw new AppError('rejected', 'terminals are turned off on this server, by its setting --terminal off');
    await deps.requireRecord();
    const cluster = deps.cluster.as(session.person);
    const container = await findContainer(cluster, asked, signal);
    const free = places.take(session.user);
    if (free === undefined)
      throw new AppError('too-many', `${session.user} has ${MOST_TERMINALS} terminals open, which is the most one person may have: close one`);
    try {
      const connected = await connect(deps, cluster, { ...asked, container }, signal);
      return await OpenTerminal.start(deps, { session, asked, container, connected, free });
    } catch (error) {
      free();
      throw error;
    }
  };
}

/** The container that is named, else the one that the pod calls its own, else the first. */
async function findContainer(cluster: Cluster, { ns, pod, container }: TerminalAsked, signal: AbortSignal): Promise<string> {
  const found = await cluster.get({ ...KINDS.pod, namespace: ns, name: pod }, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) throw new AppError('not-found', `there is no pod ${pod} in namespace ${ns}`);
    throw error;
  });
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
  asked: TerminalAsked & { readonly container: string },
  signal: AbortSignal,
): Promise<Connected> {
  const { ns, pod, container } = asked;
  const late = new AbortController();
  const cancel = clock.schedule(OPEN_LIMIT_MS, () => late.abort());
  const query = new URLSearchParams([
    ...SHELL.map((word) => ['command', word]),
    ['container', container],
    ['stdin', 'true'],
    ['stdout', 'true'],
    ['tty', 'true'],
  ]);
  const path = `/api/v1/namespaces/${encodeURIComponent(ns)}/pods/${encodeURIComponent(pod)}/exec?${query}`;
  try {
    const connected = await cluster.connect({ path, protocol: EXEC_PROTOCOL, signal: AbortSignal.any([signal, late.signal]) });
    await connected.send(toResize(asked));
    return connected;
  } catch (error) {
    if (late.signal.aborted) throw new AppError('unavailable', `no shell began in container ${container} of pod ${pod} within ${OPEN_LIMIT_MS / 1000} s`);
    const status = getApiStatus(error);
    if (status === undefined) throw error;
    throw new AppError(status.code === 403 ? 'forbidden' : status.code === 404 ? 'not-found' : 'rejected', status.message);
  } finally {
    cancel();
  }
}

interface Started {
  readonly session: Session;
  readonly asked: TerminalAsked;
  readonly container: string;
  readonly connected: Connected;
  readonly free: Release;
}

class OpenTerminal implements Terminal {
  readonly container: string;
  readonly #deps: CommandDeps;
  readonly #started: Started;
  readonly #id: string;
  readonly #since: Instant;
  #ended: string | undefined;
  #cancelIdle: Release = () => undefined;
  #isRecorded = false;

  private constructor(deps: CommandDeps, started: Started, id: string) {
    this.#deps = deps;
    this.#started = started;
    this.#id = id;
    this.#since = deps.clock.now();
    this.container = started.container;
    this.#stir();
  }

  /** What is not on record has not begun. */
  static async start(deps: CommandDeps, started: Started): Promise<OpenTerminal> {
    const terminal = new OpenTerminal(deps, started, deps.ids.uuid());
    try {
      await terminal.#record('open', `opened a terminal in container ${started.container}`);
      return terminal;
    } catch (error) {
      terminal.#isRecorded = true; // an end without a beginning says nothing
      terminal.end('it cannot be put on record');
      throw error;
    }
  }

  async *output(): AsyncGenerator<Uint8Array, string, void> {
    try {
      for await (const message of this.#started.connected.messages) {
        if (this.#ended !== undefined) break; // what waited when it ended is told no more
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
    return this.#ended ?? '';
  }

  write(text: string): Promise<void> {
    this.#stir();
    return this.#ended === undefined ? this.#started.connected.send(toInput(text)) : Promise.resolve();
  }

  resize(size: TerminalSize): Promise<void> {
    return this.#ended === undefined ? this.#started.connected.send(toResize(size)) : Promise.resolve();
  }

  async recheck(session: Session, notBefore: Instant): Promise<void> {
    const { ns, pod } = this.#started.asked;
    try {
      await this.#deps.auth.authorise(session, { kind: 'open-terminal', ns, pod }, notBefore);
    } catch (error) {
      // A cluster that cannot be asked takes no right away; the next look asks again.
      if (isAppError(error) && (error.code === 'forbidden' || error.code === 'unauthenticated')) this.end(messageOf(error));
    }
  }

  end(sentence: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = sentence;
    this.#cancelIdle();
    this.#started.connected.close();
    this.#started.free();
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const took = formatDuration(this.#deps.clock.now() - this.#since);
    void this.#record('end', `a terminal in container ${this.container} ended after ${took}: ${sentence}`).catch(() => undefined); // the recording tells of what it cannot take
  }

  #stir(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#deps.clock.schedule(TERMINAL_IDLE_MS, () => this.end(`nothing was typed for ${formatDuration(TERMINAL_IDLE_MS)}`));
  }

  #record(what: 'open' | 'end', message: string): Promise<void> {
    const { asked, session } = this.#started;
    const about: ObjectAddress = { ...KINDS.pod, namespace: asked.ns, name: asked.pod };
    return this.#deps.record({ id: `${this.#id}/${what}`, at: this.#deps.clock.now(), actor: session.user, action: `terminal.${what}`, about, message });
  }
}
