import type { SessionRow, SessionsPage, SessionsQuery } from '@/lib/contract/sessions/session-rows';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { formatClient } from '@/lib/words/sessions/format-client';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '../command-deps';
import { refusalReason } from '../read-rights';

type Kept = Awaited<ReturnType<CommandDeps['auth']['book']['list']>>['rows'][number];

/** Sessions as the one who asks may see them: their own, or those of everyone. */
export async function readSessions(deps: CommandDeps, session: Session, query: SessionsQuery): Promise<SessionsPage> {
  const { auth, clock } = deps;
  const { of, q, page, size } = query;
  await auth.authorise(session, { kind: of === 'mine' ? 'see-self' : 'see-sessions' });
  const wanted = of === 'mine' ? { user: session.user, first: session.id } : {};
  const [{ total, rows }, see, end] = await Promise.all([
    auth.book.list({ ...wanted, q: q === '' ? undefined : q, page, size }),
    refusalReason(deps, session, [{ kind: 'see-sessions' }]),
    refusalReason(deps, session, [{ kind: 'end-session', user: '' }]),
  ]);
  return { total, rows: rows.map((row) => toRow(row, session, clock.now())), refused: { see, end } };
}

function toRow(kept: Kept, { id }: Session, now: Instant): SessionRow {
  const { handle, user, isCommand, address, createdAt, lastUsedAt, expiresAt, cookieHash } = kept;
  const isThis = cookieHash === id;
  const used = isThis ? toIso(now) : lastUsedAt;
  return {
    key: handle,
    user,
    client: formatClient(kept),
    isCommand,
    address,
    since: createdAt,
    lastUsedAt: used,
    endsAt: expiresAt,
    isThis,
  };
}
