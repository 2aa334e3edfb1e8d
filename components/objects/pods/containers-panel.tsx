'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { ObjectPage } from '@/lib/contract/object-address';
import { objectPageHref } from '@/lib/contract/object-address';
import type { PodContainer, PodRow } from '@/lib/contract/pod-rows';
import { t } from '@/lib/words/catalogue/objects/pods';
import { formatNumber } from '@/lib/words/figures';
import { formatCpu, formatMemory } from '@/lib/words/format-pod';
import { objectQueries } from '../object-queries';
import { Amount } from './amount';
import { explainUnmeasured } from './explain-unmeasured';

const KIND: Readonly<Record<PodContainer['kind'], string | null>> = {
  container: null,
  init: t.runsBeforeTheOthers,
  ephemeral: t.forDebugging,
};

/** The containers of one pod: the state and the last exit of each, its image, and what it uses beside what it asks for. */
export function ContainersPanel({ at }: { readonly at: ObjectPage }) {
  const pods = useQuery(objectQueries.pods(at));
  const [pod] = pods.data?.pods ?? [];
  return (
    <Panel title={t.containers} note={pod ? <Where pod={pod} /> : undefined}>
      <QueryView query={pods} awaits={t.readingTheContainersOf(at.name)} pending={<SkeletonRows rows={2} columns={4} />}>
        {({ pods: [one], unmeasured }) => (
          <>
            <ul className="divide-y">
              {one?.containers.map((container) => (
                <Container key={`${container.kind} ${container.name}`} container={container} pod={one} />
              ))}
            </ul>
            <UsageNote why={unmeasured ?? (one ? explainUnmeasured([one]) : null)} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

const UsageNote = ({ why }: { readonly why: string | null }) =>
  why === null ? null : <p className="border-t px-4 py-2 text-ink-3 text-xs">{why}</p>;

const terminalHref = ({ ns, name }: PodRow, container: string) =>
  `/pods/${encodeURIComponent(ns)}/${encodeURIComponent(name)}/terminal?container=${encodeURIComponent(container)}`;

function Where({ pod: { node, address } }: { readonly pod: PodRow }) {
  if (node === null) return t.onNoNodeYet;
  return (
    <>
      {rich(
        t.on(
          <Link
            href={objectPageHref({ group: '', named: 'nodes', ns: null, name: node })}
            className="rounded-sm hover:text-ink hover:underline"
          >
            {node}
          </Link>,
          address ? `, ${address}` : '',
        ),
      )}
    </>
  );
}

function Container({ container, pod }: { readonly container: PodContainer; readonly pod: PodRow }) {
  const { name, kind, image, restarts, requests, limits, usage, exitBefore } = container;
  const label = KIND[kind];
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,19rem)]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          {label ? <Badge>{label}</Badge> : null}
          <State container={container} />
          {kind === 'init' ? null : (
            <Link href={terminalHref(pod, name)} className="rounded-sm font-medium text-accent text-xs hover:underline">
              {t.terminal}
              <span className="sr-only">{t.inContainer(name)}</span>
            </Link>
          )}
        </p>
        <p className="font-mono text-2xs text-ink-2 leading-5 wrap-anywhere">{image}</p>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1 text-xs">
        <Fact name={t.restarts}>
          <span className={restarts > 0 ? 'font-medium text-warn' : undefined}>{formatNumber(restarts)}</span>
        </Fact>
        {exitBefore ? (
          <Fact name={t.lastExit}>
            {exitBefore.how} {exitBefore.at ? <Ago at={exitBefore.at} /> : null}
          </Fact>
        ) : null}
        <Fact name={t.cpu}>
          <Amount of="cpu" used={usage?.cpu ?? null} asked={requests.cpu} />
          {limits.cpu === null ? null : <Limit>{formatCpu(limits.cpu)}</Limit>}
        </Fact>
        <Fact name={t.memory}>
          <Amount of="memory" used={usage?.memory ?? null} asked={requests.memory} />
          {limits.memory === null ? null : <Limit>{formatMemory(limits.memory)}</Limit>}
        </Fact>
      </dl>
    </li>
  );
}

const Limit = ({ children }: { readonly children: ReactNode }) => <span className="ml-2 text-ink-3">{rich(t.limit(children))}</span>;

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** How a container stands, in words: since when it runs, why it waits, or how it ended. */
function State({ container: { phase, ready, waits, exit, exitedAt, startedAt, kind } }: { readonly container: PodContainer }) {
  if (phase === 'waiting') return <span className="min-w-0 text-warn wrap-anywhere">{t.waits(waits)}</span>;
  if (phase === 'ended') {
    return (
      <span className={exit === 'exit code 0' ? 'text-ink-2' : 'text-warn'}>
        {exit} <Ago at={exitedAt} none="" />
      </span>
    );
  }
  return (
    <span className={ready || kind !== 'container' ? 'text-ink-2' : 'text-warn'}>
      {rich(t.since(ready || kind !== 'container' ? t.runs : t.runsNotReady, <Ago at={startedAt} none={t.itsStart} />))}
    </span>
  );
}
