'use client';

import { useQuery } from '@tanstack/react-query';
import { Ago } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { UndeclaredReleases as Undeclared } from '@/lib/contract/undeclared-releases';
import { t } from '@/lib/words/catalogue/releases/releases';
import { releaseQueries } from './release-queries';

/** The releases that Helm keeps and no resource declares: somebody installed them by hand. Nothing is shown where there are none. */
export function UndeclaredReleases({ ns }: { readonly ns: string | undefined }) {
  const { data } = useQuery(releaseQueries.undeclared(ns));
  if (data === undefined || (data.releases.length === 0 && data.why === null)) return null;
  return (
    <Panel title={t.notDeclaredByAnyResource} className="mt-6">
      <p className="px-4 pt-3 text-ink-3 text-xs">{t.helmKeepsTheseInIts}</p>
      <ul className="divide-y">
        {data.releases.map((one) => (
          <Line key={`${one.ns}/${one.name}/${one.storage}`} one={one} />
        ))}
      </ul>
      {data.why === null ? null : (
        <p className="border-t px-4 py-2 text-ink-3 text-xs wrap-anywhere">{rich(t.thereMayBeOthers(<Sentence text={data.why} />))}</p>
      )}
    </Panel>
  );
}

function Line({ one: { ns, name, revision, status, storedAt, storage } }: { readonly one: Undeclared['releases'][number] }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 font-medium wrap-anywhere">
        {name} <span className="font-normal text-ink-3">{ns}</span>
      </span>
      <span className={status === 'failed' ? 'text-bad' : status === 'deployed' ? 'text-good' : 'text-ink-3'}>{status}</span>
      <span className="text-ink-3">{t.revisionInline(revision)}</span>
      {storage === 'configmaps' ? <span className="text-ink-3">{t.keptInConfigMapsWhichAre}</span> : null}
      <span className="ml-auto text-ink-3 text-xs">
        <Ago at={storedAt} />
      </span>
    </li>
  );
}
