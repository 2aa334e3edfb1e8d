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
import type { ThreeWay } from '@/lib/contract/release-comparison';
import { sayCount } from '@/lib/words/figures';
import { shortRevision } from '@/lib/words/say-release';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

type Row = ThreeWay['objects'][number];
type Look = { readonly tone: Tone; readonly word: string };

const HEAD: Readonly<Record<Row['head'], Look>> = {
  same: { tone: 'idle', word: 'Same' },
  created: { tone: 'busy', word: 'New' },
  changed: { tone: 'busy', word: 'Changed' },
  deleted: { tone: 'bad', word: 'Deleted' },
  unknown: { tone: 'odd', word: 'Not rendered' },
};

const LIVE: Readonly<Record<Row['live'], Look>> = {
  same: { tone: 'good', word: 'As released' },
  differs: { tone: 'warn', word: 'Differs' },
  missing: { tone: 'bad', word: 'Missing' },
  new: { tone: 'idle', word: 'Not released' },
  unknown: { tone: 'odd', word: 'Not read' },
  hidden: { tone: 'odd', word: 'No access' },
};

/** The chart at its head, what Helm stored last, and what is live, object by object. */
export function ThreeWays({ place, moment }: { readonly place: ReleasePlace; readonly moment: string }) {
  const three = useQuery(releaseQueries.threeWay(place, moment));
  return (
    <QueryView
      query={three}
      awaits="Helm renders the chart at its head, and the objects are read. Nothing is released."
      pending={<SkeletonRows rows={4} columns={3} />}
    >
      {(data) => <Sides data={data} again={() => void three.refetch()} isReading={three.isFetching} />}
    </QueryView>
  );
}

function Sides({ data: { stored, head, values, valuesDiffer, hidesValues, objects }, again, isReading }: SidesProps) {
  const moved = objects.filter(({ head: at, live }) => at !== 'same' || live !== 'same').length;
  return (
    <div className="space-y-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 text-ink-2 wrap-anywhere">
          {head.revision === null ? 'The head of the chart is not known' : <>Chart at {shortRevision(head.revision)}</>}
          {stored === null ? ', nothing stored' : `, stored revision ${stored}`}, live now:{' '}
          {moved === 0 ? 'nothing differs' : `${moved} of ${sayCount(objects.length, 'object')} differ`}.
        </p>
        <Button size="sm" className="ml-auto" pending={isReading ? 'Reading…' : null} onClick={again}>
          Compare again
        </Button>
      </div>
      {head.why === null ? null : (
        <p className="text-warn wrap-anywhere">
          The chart was not rendered: <Sentence text={head.why} />
        </p>
      )}
      <div className="space-y-1">
        <h3 className="font-medium">Values at the head</h3>
        {values.length > 0 ? <DiffView lines={values} label="How the values differ" /> : null}
        {values.length === 0 ? (
          <p className="text-ink-3">{head.why !== null ? 'Not known.' : valuesDiffer ? 'Only masked values differ.' : 'The same as in the stored revision.'}</p>
        ) : null}
        {hidesValues ? <p className="text-ink-3 text-xs">Values that are not in the resource are masked, here and in the objects.</p> : null}
      </div>
      {objects.length === 0 ? (
        <p className="text-ink-3">There are no objects on any side.</p>
      ) : (
        <ul aria-label="Objects from three sides" className="divide-y border-t">
          {objects.map((row) => (
            <ObjectSides key={`${row.apiVersion} ${row.kind} ${row.ns} ${row.name}`} row={row} />
          ))}
        </ul>
      )}
    </div>
  );
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
          {ns === null ? null : <span className="text-ink-3"> in {ns}</span>}
        </span>
        <Side term="Head" look={HEAD[head]} />
        <Side term="Live" look={LIVE[live]} />
        {differs ? (
          <Button size="sm" aria-expanded={open} aria-label={`Differences of ${kind} ${name}`} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Show'}
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
          Live differs first in <code>{first}</code>
          {fields > 1 ? `, and in ${sayCount(fields - 1, 'field')} more` : ''}
          {by === null ? '' : `, set by ${by}`}
        </p>
      )}
      {open ? (
        <div className="space-y-2">
          {head === 'same' || head === 'unknown' ? null : (
            <Difference title="From stored to the chart at its head" lines={headDiff} label={`What the head changes in ${kind} ${name}`} />
          )}
          {live === 'differs' ? <Difference title="From stored to live" lines={liveDiff} label={`What is live of ${kind} ${name}`} /> : null}
        </div>
      ) : null}
    </li>
  );
}

function Side({ term, look: { tone, word } }: { readonly term: string; readonly look: Look }) {
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
      {lines === null ? <p className="text-ink-3 text-xs">You may not see this object.</p> : null}
      {lines?.length === 0 ? <p className="text-ink-3 text-xs">Only masked values differ.</p> : null}
      {lines !== null && lines.length > 0 ? <DiffView lines={lines} label={label} /> : null}
    </div>
  );
}
