import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { SessionView } from '@/lib/contract/requests';
import { withoutSystemGroups } from '@/lib/kube/user-annotations';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { Person } from '@/server/kube';

export type SessionMode = SessionView['mode'];

/** Somebody who is signed in. */
export interface Session {
  /** Names the session; a hash, so that it may appear in logs. */
  readonly id: string;
  readonly mode: SessionMode;
  readonly user: string;
  /** Groups as the cluster sees them, those of the system included. */
  readonly groups: readonly string[];
  /** Groups that a sign-in provider told of, and that the server may not act for; they count for nothing. Of mode oidc only. */
  readonly leftOut?: readonly string[];
  /** How the API server is asked on this person's behalf. */
  readonly person: Person;
  readonly mayInvite: boolean;
  readonly expiresAt: Instant;
}

/** Who signs in, before there is a session. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  readonly leftOut?: readonly string[];
  readonly uid?: string;
  /** The person's own credential; without it we impersonate. */
  readonly token?: string;
  readonly mayInvite: boolean;
  /** When the credential ends, if that is known. */
  readonly endsAt?: Instant;
}

/** A session as the screen sees it. */
export function toSessionView(session: Session): SessionView {
  const { user, groups, leftOut, mode, mayInvite, expiresAt } = session;
  return {
    user,
    groups: withoutSystemGroups(groups),
    ...(leftOut === undefined ? {} : { leftOut: [...leftOut] }),
    mode,
    mayInvite,
    expiresAt: toIso(expiresAt),
  };
}

/** The person behind an identity. Groups of the system are never impersonated: the API server gives them itself. */
export function toPerson({ user, groups, uid, token }: Pick<Identity, 'user' | 'groups' | 'uid' | 'token'>): Person {
  const own = withoutSystemGroups(groups);
  return { user, groups: own, ...(uid === undefined ? {} : { uid }), ...(token === undefined ? {} : { token }) };
}

/** Finds a session without keeping what opens it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Encrypts a credential with a key that only the cookie yields, so that the store alone gives nothing away. */
export function encryptToken(token: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The credential again; undefined when the cookie is not the one it was sealed with. */
export function decryptToken(sealed: string, secret: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return undefined; // forged or cut: as good as no credential
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'slipway session token', 32));
}
