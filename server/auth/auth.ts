import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { OwnRights } from '@/server/kube';
import { createOwnRights } from '@/server/kube';
import { createAccessReviews } from './access-review';
import type { Act } from './act';
import type { AuthFacts, Authorise } from './authorise';
import { createAuthorise } from './authorise';
import { createSessionCookie } from './cookie';
import { isLoopback } from './identity';
import { splitGroups } from './oidc/groups';
import type { OidcSettings } from './oidc/provider';
import type { OidcSignIn, ProviderCallback } from './oidc/sign-in';
import { createOidcSignIn } from './oidc/sign-in';
import { createRequireMonitor } from './rights/monitor';
import type { Identity, Session, SessionMode } from './session';
import type { SessionKeeper, SessionKeeperDeps } from './session-keeper';
import { createSessionKeeper } from './session-keeper';
import type { SessionOrigin } from './sessions/session-origin';
import type { SessionRegistry } from './sessions/session-registry';
import { createSessionRegistry } from './sessions/session-registry';
import { createSignInLimit } from './sign-in-limit';
import type { LocalRole } from './sign-in-tokens';
import { createSignInTokens, issueLink, LOCAL_ROLES } from './sign-in-tokens';
import { reviewToken } from './token-review';

export interface AuthDeps extends Omit<SessionKeeperDeps, 'splitGroups'> {
  readonly mode: SessionMode;
  /** The provider of mode oidc. */
  readonly oidc?: OidcSettings;
  /** The address that is listened on; mode local refuses all but loopback. */
  readonly host: string;
  /** True when people come by https: cookies are secure then. */
  readonly secure: boolean;
  /** True on the demonstration: the first session may make links for other roles. */
  readonly mayInvite: boolean;
  /** What is known of the cluster besides rights; absent, it has no Flux, and no tracker is of an application. */
  readonly known?: AuthFacts;
  /** Tells this server's cookie from those of others on the same host; the same for all its replicas. */
  readonly instance: string;
  /** Sign-ins that may fail within a minute, from one source and with one beginning of a token. */
  readonly maxSignIns: number;
}

/** Where a sign-in comes from: its address, what the client calls itself, and whether a command asks rather than a browser. */
export interface SignInFrom {
  readonly source?: string;
  readonly agent?: string | undefined;
  readonly isCommand?: boolean;
}

/** A session that began, and its Set-Cookie header. */
interface SignedIn {
  readonly session: Session;
  readonly setCookie: string;
}

/** Who is there, and what they may. */
export interface Auth {
  readonly mode: SessionMode;
  /** The token of mode local that the start prints; it signs in once. */
  readonly firstToken: string | undefined;
  /** The token of mode local for the `slipway` command on this machine, who is the same person; it signs in as often as it is given. */
  readonly commandToken: string | undefined;
  /** Signs in with a printed token, a link's token or a cluster token, in place of the session there was, from an address; answers the Set-Cookie header. */
  signIn(token: string, before?: Session, from?: SignInFrom): Promise<SignedIn>;
  /** Begins signing in with the provider of mode oidc, who sends people back to an address of ours. */
  beginWithProvider: OidcSignIn['begin'];
  /** Signs in whom the provider sent back. */
  signInReturned(
    returned: ProviderCallback,
    header: string | null | undefined,
    before: Session | undefined,
    from: SignInFrom,
  ): Promise<SignedIn>;
  /** The session of a Cookie header. */
  readSession(cookieHeader: string | null | undefined): Promise<Session | undefined>;
  /** Ends a session; answers the Set-Cookie header that clears the cookie. */
  signOut(session: Session): Promise<string>;
  onEnd: SessionKeeper['onEnd'];
  readonly book: SessionRegistry;
  /** A token that signs somebody in once as a role. */
  createLink(session: Session, role: LocalRole): Promise<string>;
  authorise: Authorise;
}

/** Builds sign-in and rights. Nothing is opened here; the store may still be opening. */
export function createAuth(deps: AuthDeps): Auth {
  const { mode, host, cluster, clock } = deps;
  if (mode === 'local' && !isLoopback(host)) {
    throw new AppError(
      'invalid',
      `sign-in mode local listens on loopback addresses only, found ${host}; give --host 127.0.0.1, or --auth token`,
    );
  }
  const rights = createOwnRights(cluster, clock);
  const provider = providerOf(deps, rights);
  const sessions = createSessionKeeper({ ...deps, splitGroups: (all) => splitGroups(all, rights) });
  const cookie = createSessionCookie(deps);
  const signInTokens = createSignInTokens(deps);
  const attempts = createSignInLimit(clock, deps.maxSignIns);
  // Mode local is of this machine, which needs none.
  const requireMonitor = mode === 'local' ? undefined : createRequireMonitor({ cluster, clock, attempts });
  const reviews = createAccessReviews(cluster, clock);
  const authorise = createAuthorise({ cluster, reviews, known: deps.known, requireMonitor });

  const identify = async (token: string, source: string) => {
    if (mode === 'oidc')
      throw new AppError('invalid', 'sign-in mode oidc accepts no token: sign in with the provider of your organisation, in a browser');
    return attempts.attempt({ source, token }, async (fail) => {
      if (mode === 'local') {
        const identity = signInTokens.redeem(token);
        if (identity === undefined) throw fail('the token is not from this server, or was already used; restart the server for a new one');
        return identity;
      }
      const identity = await reviewToken(cluster, token);
      if (identity !== undefined) return identity;
      throw fail('the cluster does not know this token');
    });
  };

  const endReplaced = async (before: Session) => {
    try {
      await sessions.end(before, 'You signed in again.');
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, 'could not delete a replaced session from the store');
    }
  };

  const begin = (identity: Identity, before: Session | undefined, origin: SessionOrigin): SignedIn => {
    const { session, secret } = sessions.begin(identity, mode, origin);
    // Nobody waits for the store to forget the one before: it is over here at once.
    if (before !== undefined) void endReplaced(before);
    return { session, setCookie: cookie.set(secret, Math.floor((session.expiresAt - clock.now()) / 1000)) };
  };

  return {
    mode,
    firstToken: mode === 'local' ? signInTokens.issue({ ...LOCAL_ROLES.operator, mayInvite: deps.mayInvite }) : undefined,
    commandToken: mode === 'local' ? signInTokens.issueStanding({ ...LOCAL_ROLES.operator, mayInvite: false }) : undefined,
    authorise,
    onEnd: (session, listener) => sessions.onEnd(session, listener),
    book: createSessionRegistry(deps.store, sessions),
    async signIn(token, before, { source, agent, isCommand = false } = {}) {
      return begin(await identify(token, source ?? 'unknown'), before, { isCommand, address: source, agent });
    },
    async beginWithProvider(returnTo) {
      return provider().begin(returnTo);
    },
    async signInReturned(returned, header, before, { source, agent }) {
      const identity = await attempts.attempt({ source: source ?? 'unknown', token: returned.state }, (fail) =>
        provider()
          .end(returned, header)
          .catch((error: unknown) => {
            throw isAppError(error) && error.code === 'unauthenticated' ? fail(error.message) : error;
          }),
      );
      return begin(identity, before, { isCommand: false, address: source, agent });
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
      return issueLink(signInTokens, role);
    },
  };
}

/** The provider of mode oidc; asking for one in another mode is a mistake of whoever asks. */
function providerOf({ mode, oidc, clock, ids, secure, instance }: AuthDeps, rights: OwnRights): () => OidcSignIn {
  const made =
    mode === 'oidc' && oidc !== undefined ? createOidcSignIn({ settings: oidc, rights, clock, ids, secure, instance }) : undefined;
  if (mode === 'oidc' && made === undefined) throw new AppError('invalid', 'sign-in mode oidc needs --oidc-issuer and --oidc-client-id');
  return () => {
    if (made === undefined) throw new AppError('invalid', `sign-in mode ${mode} takes a token and has no provider`);
    return made;
  };
}
