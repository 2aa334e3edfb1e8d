import { z } from 'zod';
import type { ObjectAddress } from '@/lib/kube/object';

/** A session as it is shown; nothing of it opens the session. */
export const sessionRow = z.object({
  /** Names the session to people and to the API. */
  key: z.string(),
  user: z.string(),
  /** Browser or command, in plain words. */
  client: z.string(),
  isCommand: z.boolean(),
  /** The address that it began at; null where that is not known. */
  address: z.string().nullable(),
  since: z.string(),
  /** To the minute; null where it was not noted. */
  lastUsedAt: z.string().nullable(),
  endsAt: z.string(),
  /** The one that asks. */
  isThis: z.boolean(),
});
export type SessionRow = z.infer<typeof sessionRow>;

export const SESSIONS_OF = ['mine', 'everyone'] as const;
export type SessionsOf = (typeof SESSIONS_OF)[number];

/** Which sessions are asked for. */
export const sessionsQuery = z.object({
  of: z.enum(SESSIONS_OF).default('mine'),
  /** Part of a user name or of an address. */
  q: z.string().trim().max(200).optional(),
  page: z.coerce.number().int().min(0).max(100_000).default(0),
  size: z.coerce.number().int().min(1).max(200).default(50),
});
export type SessionsQuery = z.infer<typeof sessionsQuery>;

/** A page of sessions: of one's own the one that asks goes first, then the last used. */
export const sessionsPage = z.object({
  total: z.number(),
  rows: z.array(sessionRow),
  /** Why those of everyone may not be seen, and those of others not be ended; null where they may. */
  refused: z.object({ see: z.string().nullable(), end: z.string().nullable() }),
});
export type SessionsPage = z.infer<typeof sessionsPage>;

/** Whose sessions are ended: all others of the one who asks, or all of one user. */
export const endSessionsQuery = z.object({ user: z.string().min(1).max(1000).optional() });

export const sessionPath = z.object({ id: z.string().min(1).max(100) });

/** How many sessions an act ended. */
export const endedSessions = z.object({ ended: z.number() });
export type EndedSessions = z.infer<typeof endedSessions>;

/** What the record says an act on somebody's sessions is about. */
export function sessionOf(user: string): ObjectAddress {
  return { apiVersion: 'slipway.dev/v1alpha1', kind: 'Session', name: user };
}
