'use client';

import { Monitor, SquareTerminal } from 'lucide-react';
import { Ago, Elapsed } from '@/components/live/ago';
import { signOut } from '@/components/live/session/sign-out';
import { useAway } from '@/components/live/staleness';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Empty } from '@/components/ui/data/empty';
import { Pager } from '@/components/ui/data/pager';
import type { SessionRow, SessionsPage, SessionsQuery } from '@/lib/contract/sessions/session-rows';
import { t } from '@/lib/words/catalogue/sessions/sessions';
import type { EndedSessions } from './end-sessions-dialog';

interface SessionsTableProps {
  readonly data: SessionsPage;
  readonly query: SessionsQuery;
  readonly onPage: (page: number) => void;
  readonly onEnd: (ends: EndedSessions) => void;
}

/** A page of sessions, each with its end. */
export function SessionsTable({ data: { total, rows, refused }, query, onPage, onEnd }: SessionsTableProps) {
  const away = useAway();
  if (total === 0) return <NoSessions isSearched={query.q !== undefined} />;
  const isAdmin = query.of === 'everyone';
  // Whoever sees those of everyone may not have the right to end them; one's own end without it.
  const act = (row: SessionRow) => (
    <EndButton
      row={row}
      blocked={away ?? (isAdmin && !row.isThis ? refused.end : null)}
      onEnd={() => onEnd({ kind: 'one', row, isAdmin })}
    />
  );
  const label = isAdmin ? t.everyonesSessions : t.yourSessions;
  return (
    <>
      <DataTable
        label={label}
        rows={rows}
        columns={columnsOf(isAdmin, act)}
        card={(row) => <Card row={row} isAdmin={isAdmin} act={act(row)} />}
      />
      <Pager page={query.page} size={query.size} total={total} noun={t.noun} onPage={onPage} />
    </>
  );
}

function columnsOf(isAdmin: boolean, act: (row: SessionRow) => React.ReactNode): readonly Column<SessionRow>[] {
  const user: Column<SessionRow> = { id: 'user', head: t.user, className: 'min-w-32 font-medium wrap-anywhere', cell: (row) => row.user };
  return [
    { id: 'client', head: t.client, className: 'min-w-56', cell: (row) => <Client row={row} /> },
    ...(isAdmin ? [user] : []),
    { id: 'address', head: t.address, className: 'text-ink-2 wrap-anywhere', cell: (row) => row.address ?? <Unknown /> },
    { id: 'since', head: t.signedIn, className: 'w-28 text-ink-3', cell: (row) => <Ago at={row.since} /> },
    { id: 'used', head: t.lastUsed, className: 'w-28 text-ink-3', cell: (row) => <LastUsed row={row} /> },
    { id: 'ends', head: t.expires, className: 'w-28 text-ink-3', cell: (row) => <Elapsed until={row.endsAt} /> },
    { id: 'act', head: t.end, className: 'w-24 text-right', cell: act },
  ];
}

function Client({ row: { client, isCommand, isThis } }: { readonly row: SessionRow }) {
  const Icon = isCommand ? SquareTerminal : Monitor;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <Icon size={14} aria-hidden className="shrink-0 text-ink-3" />
      <span className="font-medium wrap-anywhere">{client}</span>
      {isThis ? <Badge tone="good">{t.thisSession}</Badge> : null}
    </span>
  );
}

function LastUsed({ row: { lastUsedAt } }: { readonly row: SessionRow }) {
  return lastUsedAt === null ? <Unknown /> : <Ago at={lastUsedAt} />;
}

function Unknown() {
  return <span className="text-ink-3">{t.unknown}</span>;
}

function EndButton({ row, blocked, onEnd }: { readonly row: SessionRow; readonly blocked: string | null; readonly onEnd: () => void }) {
  if (row.isThis)
    return (
      <Button blocked={blocked} onClick={() => void signOut()}>
        {t.signOut}
      </Button>
    );
  return (
    <Button aria-label={t.endThatOf(row.client, row.user)} blocked={blocked} onClick={onEnd}>
      {t.end}
    </Button>
  );
}

function Card({ row, isAdmin, act }: { readonly row: SessionRow; readonly isAdmin: boolean; readonly act: React.ReactNode }) {
  return (
    <>
      <div className="flex items-start gap-2">
        <Client row={row} />
        <span className="ml-auto shrink-0">{act}</span>
      </div>
      {isAdmin ? <p className="mt-1 font-medium wrap-anywhere">{row.user}</p> : null}
      <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
        <dt className="text-ink-3">{t.address}</dt>
        <dd className="wrap-anywhere">{row.address ?? <Unknown />}</dd>
        <dt className="text-ink-3">{t.signedIn}</dt>
        <dd>
          <Ago at={row.since} />
        </dd>
        <dt className="text-ink-3">{t.lastUsed}</dt>
        <dd>
          <LastUsed row={row} />
        </dd>
        <dt className="text-ink-3">{t.expires}</dt>
        <dd>
          <Elapsed until={row.endsAt} />
        </dd>
      </dl>
    </>
  );
}

function NoSessions({ isSearched }: { readonly isSearched: boolean }) {
  if (isSearched) return <Empty title={t.noSessionMatches}>{t.changeTheSearch}</Empty>;
  return (
    <Empty icon={<Monitor size={17} aria-hidden />} title={t.noSessions}>
      {t.sessionsThatCouldNotBeStored}
    </Empty>
  );
}
