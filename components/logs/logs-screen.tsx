'use client';

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { readStream } from '@/components/live/request';
import { asSentence } from '@/components/ui/as-sentence';
import { Button } from '@/components/ui/button';
import { ErrorPanel, Refusal, titleOfError } from '@/components/ui/data/error-panel';
import { listBreadcrumbs } from '@/components/ui/object-head';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { Sentence } from '@/components/ui/time/sentence';
import type { LogSource } from '@/lib/contract/log-stream';
import { kindHref, objectHref } from '@/lib/contract/object-address';
import { t as ui } from '@/lib/words/catalogue/console/ui';
import { t } from '@/lib/words/catalogue/objects/logs';
import { downloadLines } from './download';
import { MAX_LINES } from './lines/log-lines';
import { LogReader } from './lines/log-reader';
import type { LogAddress, LogPlace } from './log-address';
import { toStreamUrl, useLogAddress } from './log-address';
import { LogSources } from './log-sources';
import { LogToolbar } from './log-toolbar';
import { LogView } from './log-view';

/** What containers of a pod or of an application write. */
export function LogsScreen({ place, revisions = [] }: { readonly place: LogPlace; readonly revisions?: readonly string[] }) {
  const { address, change } = useLogAddress();
  const [seen] = useState(() => new SeenSources());
  const url = toStreamUrl(place, address);
  const [tries, setTries] = useState(0);
  const reader = useReader(place, address, { seen, tries });
  useSyncExternalStore(reader.subscribe, reader.version, () => 0);
  const [columns, setColumns] = useState(80);
  const { q, only, level, wrap, times } = address;
  const wrapped = wrap ? columns : undefined;
  useEffect(() => reader.show({ search: q, onlyFound: only, level, columns: wrapped }), [reader, q, only, level, wrapped]);
  const [current, setCurrent] = useState({ url, number: -1 });
  const at = current.url === url ? current.number : -1;
  const { shown, state, lines } = reader;
  const step = (direction: 1 | -1) => {
    const next = shown.nextFound(at < 0 ? (direction === 1 ? -1 : lines.end) : at, direction);
    if (next >= 0) setCurrent({ url, number: next });
  };
  const choose = ({ pod, container }: LogSource) => change('pod' in place ? { container } : { pod, container });
  return (
    <>
      <PageHead breadcrumbs={breadcrumbsOf(place)} title={t.logs} note={<Standing reader={reader} follow={address.follow} />} />
      {state.kind === 'refused' && lines.end === 0 ? (
        <Panel>
          <ErrorPanel
            title={titleOfError(state.code)}
            sentence={state.sentence}
            commands={state.grant}
            action={<Button onClick={() => setTries(tries + 1)}>{ui.readAgain}</Button>}
          />
        </Panel>
      ) : (
        <Panel className="overflow-hidden">
          <LogToolbar
            address={address}
            change={change}
            revisions={'pod' in place ? [] : revisions}
            pods={'pod' in place ? [] : seen.pods(address.revision)}
            containers={seen.containers()}
            found={shown.found}
            place={at < lines.first ? 0 : shown.placeOfFound(at)}
            onStep={step}
            onDownload={() => downloadLines(place, reader)}
            count={shown.count}
          />
          <LogSources sources={reader.sources()} unlisted={reader.unlisted} isOfPod={'pod' in place} onChoose={choose} />
          <Trouble reader={reader} />
          <LogView reader={reader} search={q} times={times} wrap={wrap} onColumns={setColumns} current={at} />
          <Footer reader={reader} address={address} />
        </Panel>
      )}
    </>
  );
}

/** A reader of what the address asks for; it begins anew when that is something else, and when somebody tries again. */
function useReader(
  place: LogPlace,
  address: LogAddress,
  { seen, tries }: { readonly seen: SeenSources; readonly tries: number },
): LogReader {
  const url = toStreamUrl(place, address);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address and the place as far as the server is asked are the url
  const reader = useMemo(
    () =>
      new LogReader({
        open: (signal, from) => readStream(toStreamUrl(place, address, from), signal),
        follows: address.follow,
        frame: (work) => void requestAnimationFrame(work),
        pause,
        now: () => performance.now(),
        onSource: (source) => seen.add(source),
      }),
    [url, seen, tries],
  );
  useEffect(() => reader.start(), [reader]);
  return reader;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** What can be chosen stays so while less is read. */
class SeenSources {
  readonly #pods = new Map<string, string | null>();
  readonly #containers = new Set<string>();

  add({ pod, container, revision }: LogSource): void {
    this.#pods.set(pod, revision);
    this.#containers.add(container);
  }

  pods(revision: string | undefined): readonly string[] {
    return [...this.#pods].flatMap(([pod, own]) => (revision === undefined || own === revision ? [pod] : [])).sort();
  }

  containers(): readonly string[] {
    return [...this.#containers].sort();
  }
}

function breadcrumbsOf(place: LogPlace) {
  const { ns } = place;
  if ('application' in place) {
    return [
      ...listBreadcrumbs(t.applications, '/applications', ns),
      { label: place.application, href: `/applications/${ns}/${place.application}` },
    ];
  }
  const pods = { label: t.pods, href: kindHref({ group: '', named: 'pods' }) };
  return [
    { label: t.objects, href: '/objects' },
    pods,
    { label: place.pod, href: objectHref({ apiVersion: 'v1', kind: 'Pod', ns, name: place.pod }) },
  ];
}

/** How the reading stands: one element for all of it, so that each change of it is read out. */
function Standing({ reader, follow }: { readonly reader: LogReader; readonly follow: boolean }) {
  return (
    <span role="status" className="text-ink-3">
      <Sentence text={formatStanding(reader, follow)} />
    </span>
  );
}

function formatStanding(reader: LogReader, follow: boolean): string {
  const { state } = reader;
  const count = reader.sources().filter((source) => source.state === 'reading').length;
  if (state.kind === 'opening') return t.openingTheLog;
  if (state.kind === 'over') return follow ? t.itEnded(state.sentence) : t.readOnceTickFollowTo;
  if (state.kind === 'reading') return count === 0 ? t.waitingForAContainer : t.followingContainersAsYou(count);
  return ''; // what is wrong stands beside the lines
}

function Trouble({ reader: { state, lines } }: { readonly reader: LogReader }) {
  if (state.kind === 'resting') {
    return (
      <p role="status" className="border-b bg-warn-soft px-4 py-1.5 text-warn text-xs">
        {t.linesAreHeldReadingRests(lines.end - lines.first)}
      </p>
    );
  }
  if (state.kind === 'lost' || state.kind === 'withdrawn' || state.kind === 'refused') {
    const more = state.kind === 'lost' ? t.tryingAgainNothingIsLeft : t.whatWasReadSoFar;
    return (
      <div className="border-b p-3">
        <Refusal sentence={`${asSentence(state.sentence)}${more}`} />
      </div>
    );
  }
  return null;
}

function Footer({ reader: { shown, lines }, address }: { readonly reader: LogReader; readonly address: LogAddress }) {
  const held = lines.end - lines.first;
  return (
    <p className="flex flex-wrap gap-x-4 border-t px-4 py-1.5 text-ink-3 text-xs tabular-nums">
      <span>
        {shown.count === held ? t.lines(held) : t.ofLinesShown(shown.count, held)}
        {lines.first > 0 ? t.thePageHoldsTheNewest(MAX_LINES, lines.end) : ''}
      </span>
      {address.level === undefined ? null : <span>{t.linesThatAreNoJSON}</span>}
    </p>
  );
}
