'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import type { ReleaseHooks } from '@/lib/contract/release-log';
import { t } from '@/lib/words/catalogue/releases/log';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

type Hook = ReleaseHooks['hooks'][number];

const PHASE: Readonly<Record<string, Tone>> = { Succeeded: 'good', Running: 'busy', Failed: 'bad' };

interface HooksPanelProps {
  readonly place: ReleasePlace;
  /** Differs with whatever Helm stores or does, so that the hooks are read again. */
  readonly moment: string;
}

/** The hooks of the newest stored revision: when each runs, how it ended, and what it wrote. Nothing where there are none. */
export function HooksPanel({ place, moment }: HooksPanelProps) {
  const hooks = useQuery(releaseQueries.hooks(place, moment));
  if (hooks.data?.hooks.length === 0 || hooks.isPending) return null;
  return (
    <Panel title={t.hooks} note={hooks.data?.hooks.length}>
      <QueryView query={hooks} awaits={t.readingTheHooksThatHelm} pending={null}>
        {(data) => (
          <ul className="divide-y">
            {data.hooks.map((hook) => (
              <HookLine key={`${hook.kind} ${hook.ns} ${hook.name}`} place={place} hook={hook} />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function HookLine({ place, hook }: { readonly place: ReleasePlace; readonly hook: Hook }) {
  const { kind, name, events, lastRun, hasLog } = hook;
  const [open, setOpen] = useState(false);
  return (
    <li className="space-y-2 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={PHASE[lastRun?.phase ?? ''] ?? 'idle'}>{lastRun === null ? t.notRun : lastRun.phase}</Badge>
        <span className="min-w-0 wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
        </span>
        <span className="text-ink-3 text-xs">{events.join(', ')}</span>
        {lastRun?.startedAt == null ? null : (
          <span className="text-ink-3 text-xs">
            <Ago at={lastRun.completedAt ?? lastRun.startedAt} />
          </span>
        )}
        {hasLog ? (
          <Button size="sm" className="ml-auto" aria-expanded={open} onClick={() => setOpen(!open)} aria-label={t.logOf(kind, name)}>
            {open ? t.hideLog : t.showLog}
          </Button>
        ) : null}
      </div>
      {open ? <HookLogLines place={place} hook={hook} /> : null}
    </li>
  );
}

function HookLogLines({ place, hook: { kind, name } }: { readonly place: ReleasePlace; readonly hook: Hook }) {
  const log = useQuery(releaseQueries.hookLog(place, `${kind}/${name}`));
  return (
    <QueryView
      query={log}
      awaits={t.readingTheLogAsYou}
      pending={<SkeletonRows rows={3} columns={1} />}
      isEmpty={(data) => data.containers.length === 0}
      empty={<p className="text-ink-3">{t.noPodOfThisHook}</p>}
    >
      {(data) => (
        <div className="space-y-2">
          {data.containers.map(({ pod, container, text, why }) => (
            <section key={`${pod} ${container}`} aria-label={t.of(container, pod)} className="rounded-md border">
              <p className="border-b px-3 py-1 text-ink-3 text-xs wrap-anywhere">{t.ofPod(container, pod)}</p>
              {why === null ? (
                <ScrollRegion tag="pre" label={t.logOfOf(container, pod)} className="max-h-72 px-3 py-2 font-mono text-xs leading-[18px]">
                  {text === '' ? t.itWroteNothing : text}
                </ScrollRegion>
              ) : (
                <p className="px-3 py-2 text-bad wrap-anywhere">
                  <Sentence text={why} />
                </p>
              )}
            </section>
          ))}
          <p className="text-ink-3 text-xs">{t.theNewest200LinesOf}</p>
        </div>
      )}
    </QueryView>
  );
}
