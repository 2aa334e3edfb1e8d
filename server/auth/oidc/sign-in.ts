import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { toInstant } from '@/lib/std/instant';
import type { OwnRights } from '@/server/kube';
import type { Clock, Ids } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import { requireOrdinaryUser } from '../identity';
import type { Identity } from '../session';
import { splitGroups } from './groups';
import type { Claims } from './id-token';
import { readIdToken } from './id-token';
import type { OidcSettings, Provider } from './provider';
import { discover, isProtected, readKeys, redeemCode } from './provider';

/** A sign-in is over when nobody came back from the provider by then. */
const LIFE_SECONDS = 600;
/** Groups are those of the moment of sign-in, and nothing is kept by which they could be asked for again. */
const SESSION_MS = 3_600_000;
/** Nobody who is not signed in has the provider asked again and again. */
const CONFIGURATION_MS = 60_000;

/** What the browser keeps while its person is at the provider: nobody else can end the sign-in that it began. */
const begun = z.object({ state: z.string().min(1), nonce: z.string().min(1), verifier: z.string().min(1), returnTo: z.string() });

/** What the provider sent somebody back with. */
export interface ProviderCallback {
  readonly code: string;
  readonly state: string;
}

/** Signs people in with a provider: authorization code, PKCE, state and nonce. */
export interface OidcSignIn {
  /** Where the provider is asked, and the Set-Cookie by which this browser may come back. */
  begin(returnTo: string): Promise<{ readonly address: string; readonly setCookie: string }>;
  /** Who came back. */
  end(returned: ProviderCallback, cookieHeader: string | null | undefined): Promise<Identity>;
}

export interface OidcDeps {
  readonly settings: OidcSettings;
  readonly rights: OwnRights;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secure: boolean;
  readonly instance: string;
}

/** Sign-in over a provider; throws for one that is not named by https. */
export function createOidcSignIn({ settings, rights, clock, ids, secure, instance }: OidcDeps): OidcSignIn {
  const { issuer, clientId } = settings;
  if (!isProtected(issuer)) throw new AppError('invalid', `--oidc-issuer must be https, found ${issuer}`);
  const known = memoizeFor<Provider>(CONFIGURATION_MS, clock);
  const provider = () => known('', () => discover(issuer));
  const name = `${secure ? '__Host-' : ''}slipway_sign_in_${instance}`;
  return {
    async begin(returnTo) {
      const { authorizationEndpoint, scopes } = await provider();
      const [state, nonce, verifier] = [ids.secret(), ids.secret(), ids.secret()];
      const address = new URL(authorizationEndpoint);
      const query = {
        response_type: 'code',
        scope: scopes.join(' '),
        client_id: clientId,
        redirect_uri: returnTo,
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [key, value] of Object.entries(query)) address.searchParams.set(key, value);
      const kept = Buffer.from(JSON.stringify({ state, nonce, verifier, returnTo })).toString('base64url');
      const setCookie = `${name}=${kept}; Max-Age=${LIFE_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
      return { address: address.href, setCookie };
    },
    async end({ code, state }, cookieHeader) {
      const kept = readBegun(name, cookieHeader);
      if (kept === undefined || kept.state !== state)
        throw new AppError('unauthenticated', 'this browser did not start this sign-in, or it took too long; sign in again');
      const asked = await provider();
      const { verifier, returnTo, nonce } = kept;
      const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: returnTo, code_verifier: verifier });
      const token = await redeemCode(asked, form, settings);
      const claims = readIdToken(token, { issuer, clientId, nonce, keys: await readKeys(asked), now: clock.now() });
      const user = `${settings.prefix}${userOf(claims, settings.usernameClaim)}`;
      requireOrdinaryUser(user);
      const all = (claims.groups ?? []).map((group) => `${settings.prefix}${group}`);
      return { user, ...(await splitGroups(all, rights)), mayInvite: false, endsAt: toInstant(clock.now() + SESSION_MS) };
    },
  };
}

function userOf(claims: Claims, claim: string): string {
  const user = claims[claim];
  if (typeof user !== 'string' || user.trim() === '')
    throw new AppError('forbidden', `the ID token of the sign-in provider has no claim ${claim} (--oidc-username-claim)`);
  if (claim === 'email' && claims.email_verified !== true) throw new AppError('forbidden', `the sign-in provider has not verified ${user}`);
  return user;
}

function readBegun(name: string, header: string | null | undefined): z.infer<typeof begun> | undefined {
  const found = (header ?? '').split(';').find((part) => part.trim().startsWith(`${name}=`));
  try {
    return begun.parse(JSON.parse(Buffer.from(found?.split('=')[1] ?? '', 'base64url').toString('utf8')));
  } catch {
    return undefined; // forged or cut: as good as none
  }
}
