'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DiffView } from '@/components/ui/data/diff-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import type { Tone } from '@/components/ui/status/tone';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ThreeWay } from '@/lib/contract/release-comparison';
import { t } from '@/lib/words/catalogue/releases/compare';
import { shortRevision } from '@/lib/words/format-release';
import { HEAD_WORD, LIVE_WORD } from '@/lib/words/releases/compare-words';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

type Row = ThreeWay['objects'][number];

const HEAD: Readonly<Record<Row['head'], Tone>> = { same: 'idle', created: 'busy', changed: 'busy', deleted: 'bad', unknown: 'odd' };

const LIVE: Readonly<Record<Row['live'], Tone>> = {
  same: 'good',
  differs: 'warn',
  missing: 'bad',
  new: 'idle',
  unknown: 'odd',
  hidden: 'odd',
};

/** The chart at its head, what Helm stored last, and what is live, object by object. */
export function ThreeWays({ place, moment }: { readonly place: ReleasePlace; readonly moment: string }) {
  const three = useQuery(releaseQueries.threeWay(place, moment));
  return (
    <QueryView query={three} awaits={t.helmRendersTheChartAt} pending={<SkeletonRows rows={4} columns={3} />}>
      {(data) => <Sides data={data} again={() => void three.refetch()} isReading={three.isFetching} />}
    </QueryView>
  );
}

function Sides({ data: { stored, head, values, valuesDiffer, hidesValues, objects }, again, isReading }: SidesProps) {
  const moved = objects.filter(isMoved).length;
  const untold = objects.filter(
    (row) => !isMoved(row) && (row.head === 'unknown' || row.live === 'unknown' || row.live === 'hidden'),
  ).length;
  return (
    <div className="space-y-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 text-ink-2 wrap-anywhere">
          {head.revision === null ? t.theHeadOfTheChart : t.chartAt(shortRevision(head.revision))}
          {t.liveNow(
            stored === null ? t.nothingStored : t.storedRevision(stored),
            moved + untold === 0 ? t.nothingDiffers : t.ofObjectsDiffer({ moved, untold, count: objects.length }),
          )}
        </p>
        <Button size="sm" className="ml-auto" pending={isReading ? t.reading : null} onClick={again}>
          {t.compareAgain}
        </Button>
      </div>
      {head.why === null ? null : <p className="text-warn wrap-anywhere">{rich(t.theChartWasNotRendered(<Sentence text={head.why} />))}</p>}
      <div className="space-y-1">
        <h3 className="font-medium">{t.valuesAtTheHead}</h3>
        {values.length > 0 ? <DiffView lines={values} label={t.howTheValuesDiffer} /> : null}
        {values.length === 0 ? (
          <p className="text-ink-3">{head.why !== null ? t.notKnown : valuesDiffer ? t.onlyMaskedValuesDiffer : t.theSameAsInThe}</p>
        ) : null}
        {hidesValues ? <p className="text-ink-3 text-xs">{t.valuesThatAreNotIn}</p> : null}
      </div>
      {objects.length === 0 ? (
        <p className="text-ink-3">{t.thereAreNoObjectsOn}</p>
      ) : (
        <ul aria-label={t.objectsFromThreeSides} className="divide-y border-t">
          {objects.map((row) => (
            <ObjectSides key={`${row.apiVersion} ${row.kind} ${row.ns} ${row.name}`} row={row} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** What nobody could read, or may see here, is not known to differ. */
function isMoved({ head, live }: Row): boolean {
  return (head !== 'same' && head !== 'unknown') || live === 'differs' || live === 'missing' || live === 'new';
}

interface SidesProps {
  readonly data: ThreeWay;
  readonly again: () => void;
  readonly isReading: boolean;
}

function ObjectSides({ row }: { readonly row: Row }) {
  const { kind, ns, name, head, live, why, first, fields, by, headDiff, liveDiff } = row;
  const [open, setOpen] = useState(false);
  const differs = head === 'changed' || head === 'created' || head === 'deleted' || live === 'differs';
  return (
    <li className="space-y-2 py-2">
      <div className="grid grid-cols-1 items-center gap-x-4 gap-y-1 sm:grid-cols-[minmax(0,1fr)_9rem_9rem_auto]">
        <span className="min-w-0 wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
          {ns === null ? null : <span className="text-ink-3"> {t.in(ns)}</span>}
        </span>
        <Side term={t.head} tone={HEAD[head]} word={HEAD_WORD[head]} />
        <Side term={t.live} tone={LIVE[live]} word={LIVE_WORD[live]} />
        {differs ? (
          <Button size="sm" aria-expanded={open} aria-label={t.differencesOf(kind, name)} onClick={() => setOpen(!open)}>
            {open ? t.hide : t.show}
          </Button>
        ) : (
          <span />
        )}
      </div>
      {why === null ? null : (
        <p className="text-ink-3 text-xs wrap-anywhere">
          <Sentence text={why} />
        </p>
      )}
      {first === null ? null : (
        <p className="text-ink-3 text-xs wrap-anywhere">
          {rich(
            t.liveDiffersFirstIn(<code>{first}</code>, fields > 1 ? t.andInFieldsMore(fields - 1) : '', by === null ? '' : t.setBy(by)),
          )}
        </p>
      )}
      {open ? (
        <div className="space-y-2">
          {head === 'same' || head === 'unknown' ? null : (
            <Difference title={t.fromStoredToTheChart} lines={headDiff} label={t.whatTheHeadChangesIn(kind, name)} />
          )}
          {live === 'differs' ? <Difference title={t.fromStoredToLive} lines={liveDiff} label={t.whatIsLiveOf(kind, name)} /> : null}
        </div>
      ) : null}
    </li>
  );
}

function Side({ term, tone, word }: { readonly term: string; readonly tone: Tone; readonly word: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className="text-ink-3 text-xs">{term}</span>
      <Badge tone={tone}>{word}</Badge>
    </span>
  );
}

function Difference({ title, lines, label }: { readonly title: string; readonly lines: Row['headDiff']; readonly label: string }) {
  return (
    <div className="space-y-1">
      <h4 className="text-ink-3 text-xs">{title}</h4>
      {lines === null ? <p className="text-ink-3 text-xs">{t.youMayNotSeeThis}</p> : null}
      {lines?.length === 0 ? <p className="text-ink-3 text-xs">{t.onlyMaskedValuesDiffer}</p> : null}
      {lines !== null && lines.length > 0 ? <DiffView lines={lines} label={label} /> : null}
    </div>
  );
}
