import { AppError, messageOf } from '@/lib/contract/app-error';
import { deepEqual } from '@/lib/std/deep-equal';
import { toIso } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import type { Clock, Ids, Log, Release } from '@/server/platform';
import { monotonicMsOf } from '@/server/platform';
import type { SessionRow, Store } from '@/server/store';
import type { SplitGroups } from './oidc/groups';
import type { Identity, Session, SessionMode } from './session';
import { encryptToken, hashSecret, toPerson } from './session';
import type { SessionOrigin } from './sessions/session-origin';
import { cutOrigin } from './sessions/session-origin';
import { fromRow, toRow, toSession } from './sessions/session-row';
import { watchEndedSessions } from './sessions/watch-ended-sessions';
import { reviewToken } from './token-review';

const LIFE_MS = 12 * 3_600_000;
const CHECK_EVERY_MS = 60_000;
/** Sessions of everybody together; one more ends the oldest. */
const MAX_IN_ALL = 10_000;
/** Of one person's commands: pipelines run hundreds at once, and none of them may end that person's browser. */
const MAX_OF_COMMANDS = 300;

export interface SessionKeeperDeps {
  readonly store: () => Promise<Store>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Sessions of one person at a time; one more ends the oldest. */
  readonly maxSessions: number;
  /** Which groups of mode oidc count now. */
  readonly splitGroups: (all: readonly string[]) => Promise<SplitGroups>;
  /** Aborted when the server ends, which closes the store. */
  readonly ending?: AbortSignal;
}

/** Begins, finds and ends sessions. */
export interface SessionKeeper {
  begin(identity: Identity, mode: SessionMode, origin: SessionOrigin): { readonly session: Session; readonly secret: string };
  find(secret: string): Promise<Session | undefined>;
  end(session: Pick<Session, 'id'>, reason: string): Promise<void>;
  /** The same of several at once, wherever they are held. */
  endAll(ids: readonly string[], reason: string): Promise<void>;
  /** Calls back once when the session is over, whoever ended it. */
  onEnd(session: Session, listener: (reason: string) => void): Release;
}

interface Held {
  /** Replaced when the cluster knows the person by other groups. */
  session: Session;
  /** Settles when the store has the row, or could not take it. */
  readonly stored: Promise<boolean>;
  readonly isCommand: boolean;
  /** By the clock that nobody can set; undefined where it must be checked before it is used. */
  checkedAt: number | undefined;
  readonly listeners: Set<(reason: string) => void>;
  readonly cancelExpiry: Release;
}

/** Sessions over memory and store. */
export function createSessionKeeper(deps: SessionKeeperDeps): SessionKeeper {
  return new HeldSessions(deps);
}

const OVER = 'The session has expired: sign in again.';
const OLDEST = 'You signed in elsewhere, and this was the oldest of your sessions.';
const ELSEWHERE = 'The session was ended elsewhere: sign in again.';

/**
 * Sessions in memory, written through to the store.
 *
 * 1. Signing in never waits for the store, which may still be opening; finding an unknown cookie does.
 * 2. A held session is looked up anew each minute that it is used, and that is noted: a token the cluster has revoked ends here too, and its
 *    groups are those that the cluster says then. One from the store is looked up at once.
 * 3. Of a session that is ended on another replica each one hears within seconds, used or not.
 */
class HeldSessions implements SessionKeeper {
  readonly #deps: SessionKeeperDeps;
  readonly #held = new Map<string, Held>();
  /** The same by person, the oldest first: a sign-in looks at that person's alone. */
  readonly #byPerson = new Map<string, Set<Held>>();
  /** Over here, and perhaps not in the store yet: what is read there of these brings nobody back. */
  readonly #ending = new Set<string>();
  /** Begins to hear of sessions that end elsewhere, where it does not already. */
  readonly #listen: () => void;

  constructor(deps: SessionKeeperDeps) {
    this.#deps = deps;
    const { clock, log, ending } = deps;
    this.#listen = watchEndedSessions({
      clock,
      log,
      ending,
      isNeeded: () => this.#held.size > 0,
      endedSince: async (since) => (await this.#store()).sessions.endedSince(since),
      onEnded: (id) => this.#drop(id, ELSEWHERE),
    });
  }

  begin(identity: Identity, mode: SessionMode, origin: SessionOrigin) {
    const { isCommand } = origin;
    const { clock, ids } = this.#deps;
    const secret = ids.secret();
    const expiresAtMs = Math.min(clock.now() + LIFE_MS, identity.endsAt ?? Number.POSITIVE_INFINITY);
    const session = toSession(identity, { id: hashSecret(secret), mode, expiresAtMs });
    const sealedToken = identity.token === undefined ? null : encryptToken(identity.token, secret);
    const createdAt = toIso(clock.now());
    const kept = { ...cutOrigin(origin), handle: ids.uuid(), createdAt, lastUsedAt: createdAt, endedAt: null };
    this.#hold(session, this.#write({ ...toRow(session), ...kept, sealedToken }), isCommand);
    this.#endOldest(session.user, isCommand);
    return { session, secret };
  }

  /** Of too many the oldest go: of those held here at once, then of what the store has, which are those of other replicas and former processes as well. */
  #endOldest(user: string, isCommand: boolean): void {
    const most = isCommand ? MAX_OF_COMMANDS : this.#deps.maxSessions;
    const own = this.#byPerson.get(personOf(user, isCommand)) ?? new Set();
    const tooMany = [...firstOf(own, own.size - most), ...firstOf(this.#held.values(), this.#held.size - MAX_IN_ALL)];
    const over = tooMany.map(({ session }) => session.id);
    const ended = Promise.all([this.endAll(over, OLDEST), this.#endOldestStored({ user, isCommand, most })]);
    ended.catch((error: unknown) => this.#deps.log.warn({ error: messageOf(error) }, 'could not end the oldest sessions of a person'));
  }

  async #endOldestStored({ most, ...of }: Pick<SessionRow, 'user' | 'isCommand'> & { readonly most: number }): Promise<void> {
    const own = this.#byPerson.get(personOf(of.user, of.isCommand)) ?? [];
    await Promise.all([...own].map((held) => held.stored));
    await this.endAll(await (await this.#store()).sessions.beyondNewest(of, most), OLDEST);
  }

  async find(secret: string): Promise<Session | undefined> {
    const id = hashSecret(secret);
    const entry = this.#held.get(id);
    if (entry !== undefined) return this.#check(entry);
    const row = await (await this.#store()).sessions.read(id);
    const session = row && fromRow(row, secret);
    if (row === undefined || session === undefined || this.#ending.has(id)) return undefined;
    const held = this.#held.get(id) ?? this.#hold(session, Promise.resolve(true), row.isCommand);
    if (session.person.token !== undefined || session.mode === 'oidc') held.checkedAt = undefined;
    return this.#check(held);
  }

  end({ id }: Pick<Session, 'id'>, reason: string): Promise<void> {
    return this.endAll([id], reason);
  }

  async endAll(ids: readonly string[], reason: string): Promise<void> {
    const writes = ids.map((id) => this.#held.get(id)?.stored);
    for (const id of ids) {
      this.#ending.add(id);
      this.#drop(id, reason);
    }
    try {
      const kept = await Promise.all(writes);
      const known = ids.filter((_, at) => kept[at] !== false); // one that was never kept is gone with this
      if (known.length > 0) await (await this.#store()).sessions.end(known);
    } finally {
      for (const id of ids) this.#ending.delete(id);
    }
  }

  onEnd(session: Session, listener: (reason: string) => void): Release {
    const listeners = this.#held.get(session.id)?.listeners;
    if (listeners === undefined) {
      listener(OVER);
      return () => undefined;
    }
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  async #store(): Promise<Pick<Store, 'sessions'>> {
    try {
      return await this.#deps.store();
    } catch (error) {
      throw new AppError('unavailable', `the store is not open: ${messageOf(error)}`, { cause: error });
    }
  }

  #write(row: SessionRow): Promise<boolean> {
    return this.#store()
      .then((open) => open.sessions.add(row))
      .then(
        () => true,
        (error: unknown) => {
          this.#deps.log.warn({ error: messageOf(error) }, 'a session was not kept and ends with the process');
          return false;
        },
      );
  }

  #hold(session: Session, stored: Promise<boolean>, isCommand: boolean): Held {
    const { clock } = this.#deps;
    const cancelExpiry = clock.schedule(Math.max(0, session.expiresAt - clock.now()), () => this.#drop(session.id, OVER));
    const held: Held = { session, stored, isCommand, checkedAt: monotonicMsOf(clock), listeners: new Set(), cancelExpiry };
    this.#held.set(session.id, held);
    const person = personOf(session.user, isCommand);
    this.#byPerson.set(person, (this.#byPerson.get(person) ?? new Set()).add(held));
    this.#listen();
    return held;
  }

  #drop(id: string, reason: string): void {
    const entry = this.#held.get(id);
    if (entry === undefined) return;
    this.#held.delete(id);
    const person = personOf(entry.session.user, entry.isCommand);
    const own = this.#byPerson.get(person);
    own?.delete(entry);
    if (own?.size === 0) this.#byPerson.delete(person);
    entry.cancelExpiry();
    for (const listener of entry.listeners) listener(reason);
  }

  async #check(entry: Held): Promise<Session | undefined> {
    const { clock, log } = this.#deps;
    const now = monotonicMsOf(clock);
    const isKnown = entry.checkedAt !== undefined;
    if (entry.checkedAt !== undefined && now - entry.checkedAt < CHECK_EVERY_MS) return entry.session;
    entry.checkedAt = now;
    try {
      if (await this.#stillHolds(entry)) return entry.session;
    } catch (error) {
      if (!isKnown && entry.session.person.token !== undefined) {
        // Of a token from the store the cluster has not said yet that it still counts: it waits for the answer. A provider's session has no groups till then.
        entry.checkedAt = undefined;
        throw error;
      }
      // Neither store nor cluster answering is a reason to throw people out; the next minute asks again.
      log.warn({ error: messageOf(error) }, 'a session could not be checked');
      return entry.session;
    }
    this.#drop(entry.session.id, ELSEWHERE);
    return undefined;
  }

  async #stillHolds(entry: Held): Promise<boolean> {
    const { session, stored } = entry;
    const { token } = session.person;
    if (token !== undefined) {
      const identity = await reviewToken(this.#deps.cluster, token);
      if (identity === undefined || identity.user !== session.user) return false;
      if (!deepEqual(identity.groups, session.groups) || identity.uid !== session.person.uid) {
        const { user, groups } = identity;
        entry.session = { ...session, user, groups, person: toPerson(identity) };
      }
    }
    if (session.mode === 'oidc') {
      const { groups, leftOut } = await this.#deps.splitGroups([...session.groups, ...(session.leftOut ?? [])]);
      if (!deepEqual(groups, session.groups))
        entry.session = { ...session, groups, leftOut, person: toPerson({ user: session.user, groups }) };
    }
    return !(await stored) || (await this.#store()).sessions.touch(session.id);
  }
}

/** Whose a session is; those of commands are counted apart. */
const personOf = (user: string, isCommand: boolean) => `${isCommand ? 'commands' : 'browsers'} of ${user}`;

/** The first items, as many as a count that may be below zero. */
function firstOf<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  return count > 0 ? [...items].slice(0, count) : [];
}
