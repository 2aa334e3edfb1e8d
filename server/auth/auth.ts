import { AppError, messageOf } from '@/lib/contract/app-error';
import { createAccessReviews } from './access-review';
import type { Act } from './act';
import type { Authorise } from './authorise';
import { createAuthorise } from './authorise';
import { createSessionCookie } from './cookie';
import { isLoopback } from './identity';
import type { Session } from './session';
import type { SessionKeeper, SessionKeeperDeps } from './session-keeper';
import { createSessionKeeper } from './session-keeper';
import { createSignInLimit } from './sign-in-limit';
import type { LocalRole } from './tickets';
import { createTickets, issueLink, LOCAL_ROLES } from './tickets';
import { reviewToken } from './token-review';

export interface AuthDeps extends SessionKeeperDeps {
  readonly mode: 'local' | 'token';
  /** The address that is listened on; mode local refuses all but loopback. */
  readonly host: string;
  /** True when people come by https: cookies are secure then. */
  readonly secure: boolean;
  /** True on the demonstration: the first session may make links for other roles. */
  readonly mayInvite: boolean;
  /** Tells this server's cookie from those of others on the same host; the same for all its replicas. */
  readonly instance: string;
  /** Sign-ins that may fail within a minute, from one source and with one beginning of a token. */
  readonly maxSignIns: number;
}

/** Where a sign-in comes from: its address, and whether a command asks rather than a browser. */
export interface SignInFrom {
  readonly source?: string;
  readonly isCommand?: boolean;
}

/** Who is there, and what they may. */
export interface Auth {
  readonly mode: 'local' | 'token';
  /** The token of mode local that the start prints; it signs in once. */
  readonly firstToken: string | undefined;
  /** The token of mode local for the `slipway` command on this machine, who is the same person; it signs in as often as it is given. */
  readonly commandToken: string | undefined;
  /** Signs in with a printed token, a link's token or a cluster token, in place of the session there was, from an address; answers the Set-Cookie header. */
  signIn(token: string, before?: Session, from?: SignInFrom): Promise<{ readonly session: Session; readonly setCookie: string }>;
  /** The session of a Cookie header. */
  readSession(cookieHeader: string | null | undefined): Promise<Session | undefined>;
  /** Ends a session; answers the Set-Cookie header that clears the cookie. */
  signOut(session: Session): Promise<string>;
  onEnd: SessionKeeper['onEnd'];
  /** A token that signs somebody in once as a role. */
  createLink(session: Session, role: LocalRole): Promise<string>;
  authorise: Authorise;
}

/** Builds sign-in and rights. Nothing is opened here; the store may still be opening. */
export function createAuth(deps: AuthDeps): Auth {
  const { mode, host, cluster, clock } = deps;
  if (mode === 'local' && !isLoopback(host)) {
    throw new AppError('invalid', `sign-in mode local listens on loopback addresses only, found ${host}; give --host 127.0.0.1, or --auth token`);
  }
  const sessions = createSessionKeeper(deps);
  const cookie = createSessionCookie(deps);
  const tickets = createTickets(deps);
  const authorise = createAuthorise(cluster, createAccessReviews(cluster, clock));
  const attempts = createSignInLimit(clock, deps.maxSignIns);

  const identify = async (token: string, source: string) => {
    const fail = attempts.begin(source, token);
    if (mode === 'local') {
      const identity = tickets.redeem(token);
      if (identity === undefined) throw fail('the token is none of this server, or it was used; the start prints a new one');
      return identity;
    }
    const identity = await reviewToken(cluster, token);
    if (identity !== undefined) return identity;
    throw fail('the cluster does not know this token');
  };

  const endReplaced = async (before: Session) => {
    try {
      await sessions.end(before, 'You signed in anew.');
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, 'a session that another took the place of is still in the store');
    }
  };

  return {
    mode,
    firstToken: mode === 'local' ? tickets.issue({ ...LOCAL_ROLES.operator, mayInvite: deps.mayInvite }) : undefined,
    commandToken: mode === 'local' ? tickets.issueStanding({ ...LOCAL_ROLES.operator, mayInvite: false }) : undefined,
    authorise,
    onEnd: (session, listener) => sessions.onEnd(session, listener),
    async signIn(token, before, { source = 'unknown', isCommand = false } = {}) {
      const { session, secret } = sessions.begin(await identify(token, source), mode, isCommand);
      // Nobody waits for the store to forget the one before: it is over here at once.
      if (before !== undefined) void endReplaced(before);
      return { session, setCookie: cookie.set(secret, Math.floor((session.expiresAt - clock.now()) / 1000)) };
    },
    async readSession(header) {
      const secret = cookie.read(header);
      return secret === undefined ? undefined : sessions.find(secret);
    },
    async signOut(session) {
      await sessions.end(session, 'You signed out.');
      return cookie.clear();
    },
    async createLink(session, role) {
      const act: Act = { kind: 'invite' };
      await authorise(session, act);
      return issueLink(tickets, role);
    },
  };
}
