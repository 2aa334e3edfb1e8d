import type { Clock, Ids } from '@/server/platform';
import type { Identity } from './session';
import { hashSecret } from './session';

/** The roles that the demonstration can invite, and the groups that `deploy/rbac/people.yaml` gives rights to. */
export const LOCAL_ROLES = {
  viewer: { user: 'viewer', groups: ['slipway:viewers'] },
  operator: { user: 'operator', groups: ['slipway:operators'] },
  approver: { user: 'approver', groups: ['slipway:approvers'] },
} as const;
export type LocalRole = keyof typeof LOCAL_ROLES;

/** Everybody who can sign in by a token of this server: the operator, and, where it can invite, those who may decide as well. */
export function localPeople(mayInvite: boolean): readonly { readonly user: string; readonly groups: readonly string[] }[] {
  return mayInvite ? [LOCAL_ROLES.operator, LOCAL_ROLES.approver] : [LOCAL_ROLES.operator];
}

const LINK_LIFE_MS = 3_600_000;
const MAX_LINKS = 100;

/** Tokens that sign in. */
export interface SignInTokens {
  /** A token that signs in once; without an end it holds until the process does. */
  issue(identity: Identity, lifeMs?: number): string;
  /** A token that signs in as often as it is given, until the process ends. */
  issueStanding(identity: Identity): string;
  /** The identity of a token, undefined for one that is none. Unless it stands, it is worth nothing afterwards. */
  redeem(token: string): Identity | undefined;
}

/** Tokens kept by hash and in memory only: a restart ends them. */
export function createSignInTokens({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): SignInTokens {
  const open = new Map<string, { readonly identity: Identity; readonly endsAt: number; readonly stands: boolean }>();
  return {
    issue(identity, lifeMs = Number.POSITIVE_INFINITY) {
      for (const [hash, { endsAt }] of open) if (endsAt <= clock.now()) open.delete(hash);
      if (open.size >= MAX_LINKS)
        for (const [hash, { endsAt }] of open) if (Number.isFinite(endsAt)) return replace(hash, identity, lifeMs);
      return add(identity, lifeMs);
    },
    issueStanding: (identity) => add(identity, Number.POSITIVE_INFINITY, true),
    redeem(token) {
      const hash = hashSecret(token);
      const found = open.get(hash);
      if (found?.stands !== true) open.delete(hash);
      return found !== undefined && found.endsAt > clock.now() ? found.identity : undefined;
    },
  };

  function add(identity: Identity, lifeMs: number, stands = false): string {
    const token = ids.secret();
    open.set(hashSecret(token), { identity, endsAt: clock.now() + lifeMs, stands });
    return token;
  }

  function replace(oldest: string, identity: Identity, lifeMs: number): string {
    open.delete(oldest);
    return add(identity, lifeMs);
  }
}

/** A token for a link that somebody is sent. */
export function issueLink(tokens: SignInTokens, role: LocalRole): string {
  return tokens.issue({ ...LOCAL_ROLES[role], mayInvite: false }, LINK_LIFE_MS);
}
