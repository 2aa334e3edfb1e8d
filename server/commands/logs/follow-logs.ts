import { isAppError, messageOf } from '@/lib/contract/app-error';
import type { LogStreamEvent } from '@/lib/contract/log-stream';
import { MAX_FOLLOWED } from '@/lib/contract/log-stream';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toKubeTime } from '@/lib/std/instant';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { PerPersonLimit } from '../per-person-limit';
import { LogStream } from './log-stream';
import type { OwnedPod, PodSource } from './pod-source';
import { OnePod } from './pod-source';
import { ReaderSet } from './reader-set';

/** Whose logs are asked for, and which part of them. */
export interface LogsInput {
  readonly ns: string;
  /** One pod, or the pods of an application. */
  readonly of:
    | { readonly pod: string; readonly application?: undefined }
    | { readonly application: string; readonly revision?: string | undefined; readonly pod?: string | undefined };
  readonly container?: string | undefined;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly tail: number | undefined;
  /** How far back, or from which moment on. */
  readonly since: { readonly ms: number } | { readonly at: Instant } | undefined;
}

/** Logs that are being read. */
export interface FollowedLogs {
  events(): AsyncGenerator<LogStreamEvent | undefined, void, void>;
  /** Goes on as a person whose rights were asked for anew. */
  recheck(session: Session, notBefore: Instant): Promise<void>;
  /** Ends it with a sentence: nobody may read it any more. */
  withdraw(sentence: string): void;
  release(): void;
}

/** Reads logs as the person, of at most so many containers at once over everything that they have open. */
export function createFollowLogs(deps: CommandDeps) {
  const places = new PerPersonLimit(MAX_FOLLOWED);
  return async (session: Session, asked: LogsInput, signal: AbortSignal): Promise<FollowedLogs> => {
    const { ns, of } = asked;
    const { pod, application } = of;
    await deps.auth.authorise(session, { kind: 'view-logs', ns, pod, application });
    const ending = new AbortController();
    try {
      const source = await openSource(deps, session, asked, AbortSignal.any([signal, ending.signal]));
      const others = new OtherNamespaces(deps.auth, ns);
      await others.ask(
        session,
        source.pods().map(({ pod }) => pod.metadata.namespace ?? ''),
      );
      return openStream({ deps, session, asked, source, others, places, ending });
    } catch (error) {
      ending.abort();
      throw error;
    }
  };
}

/** An application may have pods in namespaces that are not its own: each has a right of its own. */
class OtherNamespaces {
  readonly #auth: CommandDeps['auth'];
  readonly #own: string;
  readonly #refusals = new Map<string, string | null>();

  constructor(auth: CommandDeps['auth'], own: string) {
    this.#auth = auth;
    this.#own = own;
  }

  /** Why the pods of a namespace may not be read; null where they may, undefined where that was not asked. */
  refusalReason(ns: string): string | null | undefined {
    return ns === this.#own ? null : this.#refusals.get(ns);
  }

  all(): readonly string[] {
    return [...this.#refusals.keys()];
  }

  async ask(session: Session, namespaces: readonly string[], notBefore?: Instant): Promise<void> {
    for (const ns of new Set(namespaces)) if (ns !== this.#own) this.#refusals.set(ns, await this.#ask(session, ns, notBefore));
  }

  /** A cluster that cannot be asked takes no right away, and gives none. */
  #ask(session: Session, ns: string, notBefore: Instant | undefined): Promise<string | null> {
    return this.#auth.authorise(session, { kind: 'view-logs', ns }, notBefore).then(
      () => null,
      (error: unknown) => (this.#refusals.get(ns) === null && !(isAppError(error) && error.code === 'forbidden') ? null : messageOf(error)),
    );
  }
}

async function openSource(
  deps: CommandDeps,
  session: Session,
  { ns, of, follow, previous }: LogsInput,
  signal: AbortSignal,
): Promise<PodSource> {
  if (of.application !== undefined) return deps.podsOf({ ns, name: of.application });
  return OnePod.open(deps.cluster.as(session.person), { ns, pod: of.pod }, follow && !previous ? { clock: deps.clock, signal } : undefined);
}

interface Opening {
  readonly deps: CommandDeps;
  readonly session: Session;
  readonly asked: LogsInput;
  readonly source: PodSource;
  readonly others: OtherNamespaces;
  readonly places: PerPersonLimit;
  readonly ending: AbortController;
}

function openStream({ deps, session, asked, source, others, places, ending }: Opening): FollowedLogs {
  const { clock } = deps;
  let person = session;
  const ask = async (namespaces: readonly string[], notBefore?: Instant) => {
    await others.ask(person, namespaces, notBefore);
    for (const ns of namespaces) {
      const why = others.refusalReason(ns);
      if (why != null) readers.refuse(ns, why);
    }
    readers.look();
  };
  const readers = new ReaderSet({
    source,
    clock,
    cluster: () => deps.cluster.as(person.person),
    wish: toWish(asked, clock.now()),
    takePlace: () => places.take(session.user),
    wants: (pod, { name }) => isWanted(asked, pod) && (asked.container === undefined || name === asked.container),
    refusalReason(ns) {
      const why = others.refusalReason(ns);
      if (why === undefined) void ask([ns]);
      return why;
    },
  });
  const stream = new LogStream(readers, clock);
  const unlisten = places.onFree(session.user, () => readers.wakeAll());
  const end = () => {
    ending.abort();
    unlisten();
    stream.release();
  };
  return {
    events: () => stream.events(),
    recheck(present, notBefore) {
      person = present;
      return ask(others.all(), notBefore);
    },
    withdraw(sentence) {
      stream.withdraw(sentence);
      end();
    },
    release: end,
  };
}

function isWanted({ of }: LogsInput, { pod, revision }: OwnedPod): boolean {
  if (of.application === undefined) return true;
  return (of.revision === undefined || revision === of.revision) && (of.pod === undefined || pod.metadata.name === of.pod);
}

function toWish({ follow, previous, tail, since }: LogsInput, now: Instant) {
  const from = since === undefined ? undefined : 'at' in since ? since.at : toInstant(now - since.ms);
  return { follow: follow && !previous, previous, tail, since: from === undefined ? undefined : toKubeTime(from) };
}
