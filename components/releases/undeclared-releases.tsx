'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { asSentence } from '@/components/ui/as-sentence';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Panel } from '@/components/ui/panel';
import { DECISION_PHASE_TONE } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { UndeclaredReleases as Undeclared } from '@/lib/contract/undeclared-releases';
import { t } from '@/lib/words/catalogue/releases/undeclared';
import { formatDeclaredBefore } from '@/lib/words/releases/format-declared-before';
import { StoredContent } from './compare/stored-content';
import { UninstallUndeclaredDialog } from './decide/uninstall-undeclared-dialog';
import { isUnderWay, releaseQueries } from './release-queries';

type One = Undeclared['releases'][number];

/** The releases that Helm keeps and no resource declares: somebody installed them by hand, or their resource is gone. Nothing is shown where there are none. */
export function UndeclaredReleases({ ns }: { readonly ns: string | undefined }) {
  const { data } = useQuery(releaseQueries.undeclared(ns));
  const cache = useQueryClient();
  const [opened, setOpened] = useState<One | null>(null);
  if (data === undefined || (data.releases.length === 0 && data.why === null)) return null;
  return (
    <Panel title={t.title} className="mt-6">
      <p className="px-4 pt-3 text-ink-3 text-xs">{t.note}</p>
      <ul className="divide-y">
        {data.releases.map((one) => (
          <Line key={`${one.ns}/${one.name}/${one.storage}`} one={one} onUninstall={() => setOpened(one)} />
        ))}
      </ul>
      {data.why === null ? null : (
        <p className="border-t px-4 py-2 text-ink-3 text-xs wrap-anywhere">{rich(t.others(<Sentence text={data.why} />))}</p>
      )}
      {opened === null ? null : (
        <UninstallUndeclaredDialog
          place={opened}
          onAccepted={() => void cache.invalidateQueries({ queryKey: ['releases', 'undeclared'] })}
          onClose={() => setOpened(null)}
        />
      )}
    </Panel>
  );
}

function Before({ exists, isUnread, isUninstalling }: NonNullable<One['declaredBefore']>) {
  if (isUninstalling) return <Badge tone="busy">{t.uninstalling}</Badge>;
  if (isUnread) return null;
  return <Badge tone="odd">{exists ? t.leftBehind : t.orphaned}</Badge>;
}

function Line({ one, onUninstall }: { readonly one: One; readonly onUninstall: () => void }) {
  const { ns, name, revision, status, storedAt, storage, declaredBefore, uninstall } = one;
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 font-medium wrap-anywhere">
        {name} <span className="font-normal text-ink-3">{ns}</span>
      </span>
      {declaredBefore === null ? null : <Before {...declaredBefore} />}
      <span className={status === 'failed' ? 'text-bad' : status === 'deployed' ? 'text-good' : 'text-ink-3'}>{status}</span>
      <span className="text-ink-3">{t.revision(revision)}</span>
      {storage === 'configmaps' ? <span className="text-ink-3">{t.inConfigMaps}</span> : null}
      <span className="ml-auto flex items-center gap-3 text-ink-3 text-xs">
        <Ago at={storedAt} />
        {storage === 'secrets' ? (
          <Button size="sm" look="ghost" aria-expanded={isOpen} aria-label={t.contentIn(name, ns)} onClick={() => setOpen(!isOpen)}>
            <FileText size={13} aria-hidden />
            {t.content}
          </Button>
        ) : null}
        {storage === 'secrets' ? (
          <Button
            size="sm"
            look="ghost"
            aria-label={t.uninstallIn(name, ns)}
            blocked={isUnderWay(one) ? t.isUninstalling : null}
            onClick={onUninstall}
          >
            <Trash2 size={13} aria-hidden />
            {t.uninstall}
          </Button>
        ) : null}
      </span>
      {declaredBefore === null ? null : (
        <p className="w-full text-ink-3 text-xs wrap-anywhere">
          <Sentence text={asSentence(formatDeclaredBefore(declaredBefore))} />
        </p>
      )}
      {uninstall === null ? null : (
        <p className="flex w-full flex-wrap items-center gap-x-2 text-ink-2 text-xs wrap-anywhere">
          <Badge tone={DECISION_PHASE_TONE[uninstall.phase]}>{uninstall.phase}</Badge>
          <span>
            {uninstall.message === ''
              ? t.decidedBy(uninstall.user)
              : rich(t.decidedWith(uninstall.user, <Sentence text={uninstall.message} />))}
          </span>
        </p>
      )}
      {isOpen ? (
        <div className="w-full">
          <StoredContent place={{ ns, name }} stored={`${status} ${revision}`} />
        </div>
      ) : null}
    </li>
  );
}
