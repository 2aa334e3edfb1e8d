'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import { ConditionList } from '@/components/live/condition-list';
import { LiveView } from '@/components/live/live-view';
import { RequestError } from '@/components/live/request';
import { Badge } from '@/components/ui/badge';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { ReleaseMark } from '@/components/ui/status/release-mark';
import type { FluxKindName } from '@/lib/contract/flux-kind';
import type { FluxReference } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { fluxQueries } from './flux-queries';

const AGAIN_MS = 5000;

/** Where a chart comes from, link by link, each with its own conditions. Each is read by the right to it. */
export function SourceChain({ source }: { readonly source: FluxReference | null }) {
  return (
    <Panel title={t.sources}>
      {source === null ? <p className="px-4 py-3 text-ink-3">{t.theResourceNamesNoChart}</p> : <SourceLink source={source} />}
    </Panel>
  );
}

function SourceLink({ source: { kind, page, ns, name } }: { readonly source: FluxReference }) {
  if (page === null) {
    return (
      <p className="px-4 py-3">
        {kind} {name} <span className="text-ink-3">{t.aKindThatIsNot(ns)}</span>
      </p>
    );
  }
  return <ShownSource kind={kind} page={page} ns={ns} name={name} />;
}

function ShownSource({ kind, page, ns, name }: Omit<FluxReference, 'page'> & { readonly page: FluxKindName }) {
  const source = fluxQueries.source({ ns, kind: page, name });
  // What is not there may be made any moment, and only what is there is told live.
  const { error } = useQuery({ ...source, refetchInterval: ({ state }) => (state.status === 'error' ? AGAIN_MS : false) });
  if (error instanceof RequestError && (error.code === 'not-found' || error.code === 'forbidden')) {
    return (
      <p className="px-4 py-3 text-ink-3 wrap-anywhere">
        {error.code === 'forbidden' ? t.in({ kind, name, ns, message: error.message }) : t.thereIsNoIn(kind, name, ns)}
      </p>
    );
  }
  return (
    <LiveView
      query={source}
      awaits={t.reading(kind, name)}
      pending={<SkeletonRows rows={2} columns={2} />}
      empty={<p className="px-4 py-3 text-ink-3">{t.thereIsNoIn(kind, name, ns)}</p>}
    >
      {({ rows: [row] }) =>
        row && (
          <div className="divide-y">
            <div className="px-4 py-2">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Link href={`/releases/${row.key}`} className="min-w-0 rounded-sm font-medium wrap-anywhere hover:underline">
                  <span className="font-normal text-ink-3">{kind}</span> {name}
                </Link>
                <ReleaseMark state={row.state} className="text-xs" />
                {row.suspended && row.state !== 'suspended' ? <Badge tone="odd">{t.suspended}</Badge> : null}
              </div>
              <p className="text-ink-2 text-xs wrap-anywhere">
                {row.url}
                {row.follows === null ? null : <span className="text-ink-3">, {row.follows}</span>}
              </p>
              {row.revision === null ? null : (
                <p className="text-ink-3 text-xs">
                  <code className="wrap-anywhere font-mono">{row.revision}</code> <Ago at={row.fetchedAt} />
                </p>
              )}
            </div>
            <ConditionList conditions={row.conditions} className="px-4 text-xs" />
            {row.from === null ? null : <SourceLink source={row.from} />}
          </div>
        )
      }
    </LiveView>
  );
}
