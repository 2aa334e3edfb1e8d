'use client';

import { useQuery } from '@tanstack/react-query';
import { Boxes } from 'lucide-react';
import Link from 'next/link';
import { useListUrl } from '@/components/live/address/list-url';
import { Badge } from '@/components/ui/badge';
import { Empty } from '@/components/ui/data/empty';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SearchBox } from '@/components/ui/form/search-box';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { kindHref } from '@/lib/contract/object-address';
import type { KindRow } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { formatNumber } from '@/lib/words/figures';
import { formatGroup } from '@/lib/words/format-object';
import { NamespaceBox } from './namespace-box';
import { objectQueries } from './object-queries';

/** Every kind that the person may list, by group; each leads to the table of its objects. */
export function KindsScreen() {
  const { query, change } = useListUrl();
  const ns = query.ns?.[0];
  const kinds = useQuery(objectQueries.kinds(ns));
  const q = query.q ?? '';
  return (
    <>
      <PageHead title={t.objects} note={<span className="text-ink-3">{t.allKindsThatYouMay}</span>} />
      <Panel>
        <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
          <SearchBox label={t.searchKinds} value={q} onSearch={(text) => change({ q: text })} />
          <NamespaceBox value={ns} onChange={(chosen) => change({ ns: [chosen] })} />
        </div>
        <QueryView query={kinds} awaits={t.askingTheClusterForIts} pending={<SkeletonRows rows={8} columns={2} />}>
          {(page) => (
            <>
              <Groups kinds={page.kinds.filter((kind) => fits(kind, q))} ns={ns} />
              {page.refused.length > 0 ? <RefusedKinds kinds={page.refused} ns={ns} /> : null}
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

function Groups({ kinds, ns }: { readonly kinds: readonly KindRow[]; readonly ns: string | undefined }) {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  if (groups.length === 0) {
    return (
      <Empty icon={<Boxes size={17} aria-hidden />} title={t.noKindToShow}>
        {t.noneMatchesTheFilter}
      </Empty>
    );
  }
  return (
    <div className="divide-y">
      {groups.map((group) => {
        const own = kinds.filter((kind) => kind.group === group);
        return (
          <section
            key={group}
            aria-label={formatGroup(group)}
            className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[14rem_minmax(0,1fr)]"
          >
            <h2 className="py-0.5 font-medium text-ink-2 wrap-anywhere">
              {formatGroup(group)} <span className="font-normal text-ink-3 text-xs">{formatNumber(own.length)}</span>
            </h2>
            <ul className="grid gap-x-4 gap-y-1 sm:grid-cols-2 xl:grid-cols-3">
              {own.map((kind) => (
                <li key={kind.kind} className="flex min-w-0 items-center gap-2">
                  <KindLink kind={kind} ns={ns} />
                  {kind.namespaced ? null : <Badge>{t.wholeCluster}</Badge>}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function KindLink({ kind, ns }: { readonly kind: KindRow; readonly ns: string | undefined }) {
  return (
    <Link
      href={`${kindHref({ group: kind.group, named: kind.plural })}${ns && kind.namespaced ? `?ns=${ns}` : ''}`}
      className="min-w-0 truncate rounded-sm py-0.5 hover:underline"
    >
      {kind.kind}
    </Link>
  );
}

/** The kinds that may not be listed: the page of each names the missing right, and the commands that give it. */
function RefusedKinds({ kinds, ns }: { readonly kinds: readonly KindRow[]; readonly ns: string | undefined }) {
  return (
    <details className="border-t px-4 py-2 text-ink-2 text-xs">
      <summary className="w-fit cursor-pointer rounded-sm">
        {t.moreKindsMayNotBe(kinds.length, ns ? t.inOf(ns) : t.inAllNamespaces, ns ? '' : t.chooseANamespaceToSee)}
      </summary>
      <p className="pt-2 pb-1 text-ink-3">{t.thePageOfEachSays}</p>
      <ul className="grid gap-x-4 sm:grid-cols-2 md:grid-cols-3 xl:grid-cols-4">
        {kinds.map((kind) => (
          <li key={`${kind.group}/${kind.kind}`} className="flex min-w-0 items-center gap-2">
            <KindLink kind={kind} ns={ns} />
            <span className="truncate text-ink-3">{kind.group}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function fits({ kind, plural, group, shortNames }: KindRow, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return [kind, plural, group, ...shortNames].some((name) => name.toLowerCase().includes(wanted));
}
