'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAway } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Tabs } from '@/components/ui/tabs';
import type { SessionsOf } from '@/lib/contract/sessions/session-rows';
import { SESSIONS_OF } from '@/lib/contract/sessions/session-rows';
import { t } from '@/lib/words/catalogue/sessions/sessions';
import type { EndedSessions } from './end-sessions-dialog';
import { EndSessionsDialog } from './end-sessions-dialog';
import { sessionsQuery } from './sessions-queries';
import { SessionsTable } from './sessions-table';
import { useSessionsUrl } from './use-sessions-url';

const LABELS: Readonly<Record<SessionsOf, string>> = { mine: t.yourSessions, everyone: t.everyonesSessions };
/** The first page tells whether there is any other. */
const FIRST = { of: 'mine', page: 0, size: 50 } as const;

/** Who is signed in where: one's own sessions, and those of everyone for whoever administers. */
export function SessionsScreen() {
  const { query, change } = useSessionsUrl();
  const [ends, setEnds] = useState<EndedSessions | null>(null);
  const own = useQuery(sessionsQuery(FIRST));
  const away = useAway();
  const hasOthers = own.data === undefined || own.data.rows.some(({ isThis }) => !isThis);
  return (
    <>
      <PageHead
        title={t.sessions}
        note={<span className="text-ink-3">{t.whoIsSignedInWhere}</span>}
        actions={
          <Button look="warning" blocked={away ?? (hasOthers ? null : t.thereIsNoOther)} onClick={() => setEnds({ kind: 'others' })}>
            {t.endAllOtherSessions}
          </Button>
        }
      />
      <Panel>
        <Tabs
          label={t.whose}
          shown={query.of}
          onShow={(of) => change({ of: of === 'mine' ? null : of, q: null })}
          tabs={SESSIONS_OF.map((of) => ({ id: of, label: LABELS[of], body: of === query.of ? <Listed onEnd={setEnds} /> : null }))}
        />
      </Panel>
      {ends === null ? null : <EndSessionsDialog ends={ends} blocked={away} onClose={() => setEnds(null)} />}
    </>
  );
}

function Listed({ onEnd }: { readonly onEnd: (ends: EndedSessions) => void }) {
  const { query, change } = useSessionsUrl();
  const page = useQuery(sessionsQuery(query));
  return (
    <>
      {query.of === 'mine' ? null : (
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
          <SearchBox label={t.searchUsersAndAddresses} value={query.q ?? ''} onSearch={(q) => change({ q })} />
        </div>
      )}
      <QueryView query={page} awaits={t.readingSessions} pending={<SkeletonRows columns={5} />}>
        {(data) => <SessionsTable data={data} query={query} onPage={(to) => change({ page: to })} onEnd={onEnd} />}
      </QueryView>
    </>
  );
}
