import { parseInstant, toInstant, toIso } from '@/lib/std/instant';
import type { SessionRow } from '@/server/store';
import type { Identity, Session, SessionMode } from '../session';
import { decryptToken, toPerson } from '../session';

/** A session of somebody whom a sign-in has identified, until a moment in milliseconds. */
export function toSession(
  identity: Identity,
  { id, mode, expiresAtMs }: { readonly id: string; readonly mode: SessionMode; readonly expiresAtMs: number },
): Session {
  const { user, groups, leftOut, mayInvite } = identity;
  const left = leftOut === undefined ? {} : { leftOut };
  return { id, mode, user, groups, ...left, person: toPerson(identity), mayInvite, expiresAt: toInstant(expiresAtMs) };
}

/** What the store keeps of a session, its token and its origin aside. */
export function toRow({
  id,
  mode,
  user,
  groups,
  leftOut = [],
  person,
  mayInvite,
  expiresAt,
}: Session): Pick<SessionRow, 'cookieHash' | 'user' | 'groups' | 'uid' | 'mode' | 'mayInvite' | 'expiresAt'> {
  return { cookieHash: id, user, groups: [...groups, ...leftOut], uid: person.uid ?? null, mode, mayInvite, expiresAt: toIso(expiresAt) };
}

/** The session of a row; undefined when its credential cannot be opened, since acting without it would be acting as somebody else. */
export function fromRow(row: SessionRow, secret: string): Session | undefined {
  const token = row.sealedToken === null ? undefined : decryptToken(row.sealedToken, secret);
  if (row.sealedToken !== null && token === undefined) return undefined;
  const { user, mayInvite } = row;
  // Which of a provider's groups count is asked before the session is; until then none does.
  const groups = row.mode === 'oidc' ? { groups: [], leftOut: row.groups } : { groups: row.groups };
  const identity: Identity = {
    user,
    ...groups,
    mayInvite,
    ...(row.uid === null ? {} : { uid: row.uid }),
    ...(token === undefined ? {} : { token }),
  };
  return toSession(identity, { id: row.cookieHash, mode: row.mode, expiresAtMs: parseInstant(row.expiresAt) ?? 0 });
}
