import { AppError } from '@/lib/contract/app-error';
import type { EndedSessions } from '@/lib/contract/sessions/session-rows';
import { sessionOf } from '@/lib/contract/sessions/session-rows';
import { formatCount } from '@/lib/words/figures';
import { formatClient } from '@/lib/words/sessions/format-client';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';

type Kept = Awaited<ReturnType<CommandDeps['auth']['book']['ofUser']>>[number];

/** Ends one session by the name that people know it by. Whether there is one is told only to whoever may end it. */
export async function endSession(deps: CommandDeps, session: Session, id: string): Promise<EndedSessions> {
  const { auth } = deps;
  await auth.authorise(session, { kind: 'see-self' });
  const found = await auth.book.find(id);
  if (found?.user !== session.user) await auth.authorise(session, { kind: 'end-session', user: found?.user ?? '' });
  if (found === undefined) throw new AppError('not-found', 'there is no such session: it may have ended');
  return end(deps, session, { user: found.user, sessions: [found] });
}

/** Ends all other sessions of the one who asks, or all of one user. */
export async function endSessions(deps: CommandDeps, session: Session, user: string = session.user): Promise<EndedSessions> {
  const { auth } = deps;
  await auth.authorise(session, user === session.user ? { kind: 'see-self' } : { kind: 'end-session', user });
  const all = await auth.book.ofUser(user);
  return end(deps, session, { user, sessions: all.filter(({ cookieHash }) => cookieHash !== session.id) });
}

async function end(deps: CommandDeps, session: Session, { user, sessions }: { readonly user: string; readonly sessions: readonly Kept[] }) {
  if (sessions.length === 0) return { ended: 0 };
  await deps.requireRecord();
  // Addresses tell where people are: they stay on the page of those who may see them, and the record names browser and time alone.
  const [only, second] = sessions;
  const which = only !== undefined && second === undefined ? ` (${formatClient(only)}, since ${only.createdAt})` : '';
  const message = `ended ${formatCount(sessions.length, 'session')} of ${user}${which}`;
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.user, action: 'session.end', about: sessionOf(user), message };
  const reason = user === session.user ? 'You ended this session: sign in again.' : `${session.user} ended this session: sign in again.`;
  await actWithAudit(deps.record, entry, { send: async (dryRun) => (dryRun ? undefined : deps.auth.book.end(sessions, reason)) });
  return { ended: sessions.length };
}
