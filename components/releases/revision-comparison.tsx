'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Verdict } from '@/components/ui/data/change-list';
import { DiffView } from '@/components/ui/data/diff-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import type { ReleaseComparison } from '@/lib/contract/release-comparison';
import type { ReleaseHistory } from '@/lib/contract/release-rows';
import { sayCount } from '@/lib/words/figures';
import type { ReleasePlace } from './release-queries';
import { releaseQueries } from './release-queries';

const VERDICT = { created: 'new', changed: 'changed', deleted: 'deleted' } as const;

interface RevisionComparisonProps {
  readonly place: ReleasePlace;
  /** Newest first. */
  readonly revisions: ReleaseHistory['revisions'];
}

/** How any two stored revisions differ; the newest and the one before it until somebody chooses. */
export function RevisionComparison({ place, revisions }: RevisionComparisonProps) {
  const [chosen, setChosen] = useState<{ readonly from?: number; readonly to?: number }>({});
  const [newest, former] = revisions;
  const from = chosen.from ?? former?.revision ?? 0;
  const to = chosen.to ?? newest?.revision ?? 0;
  const comparison = useQuery({ ...releaseQueries.comparison(place, { from, to }), enabled: from !== to });
  const options = revisions.map(({ revision, status }) => (
    <option key={revision} value={revision}>
      {`Revision ${revision}, ${status}`}
    </option>
  ));
  return (
    <section aria-label="Two revisions compared" className="space-y-3 border-t px-4 py-3">
      <div className="flex flex-wrap items-center gap-2 text-ink-3">
        <span>What changed from</span>
        <SelectBox label="The older revision" value={from} onChange={(event) => setChosen({ ...chosen, from: Number(event.target.value) })}>
          {options}
        </SelectBox>
        <span>to</span>
        <SelectBox label="The newer revision" value={to} onChange={(event) => setChosen({ ...chosen, to: Number(event.target.value) })}>
          {options}
        </SelectBox>
      </div>
      {from === to ? (
        <p className="text-ink-3">Choose two revisions that are not the same one.</p>
      ) : (
        <QueryView query={comparison} awaits="Comparing what Helm stored of the two revisions." pending={<SkeletonRows rows={3} columns={2} />}>
          {(data) => <Comparison data={data} />}
        </QueryView>
      )}
    </section>
  );
}

function Comparison({ data: { values, valuesDiffer, hidesValues, objects, notes } }: { readonly data: ReleaseComparison }) {
  return (
    <div className="space-y-3">
      <div className="space-y-1">
        <h3 className="font-medium">Values</h3>
        {values.length > 0 ? <DiffView lines={values} label="How the values differ" /> : null}
        {values.length === 0 ? <p className="text-ink-3">{valuesDiffer ? 'Only masked values differ.' : 'The same.'}</p> : null}
        {hidesValues ? <p className="text-ink-3 text-xs">Values that do not stand in the resource are masked, here and in the objects.</p> : null}
      </div>
      <div className="space-y-1">
        <h3 className="font-medium">Objects</h3>
        {objects.length === 0 ? <p className="text-ink-3">No object differs.</p> : <p className="text-ink-3">{sayCount(objects.length, 'object')} differ.</p>}
        <ul className="space-y-2">
          {objects.map((object) => (
            <ObjectDifference key={`${object.apiVersion} ${object.kind} ${object.ns} ${object.name}`} object={object} />
          ))}
        </ul>
      </div>
      {notes === null ? null : (
        <div className="space-y-1">
          <h3 className="font-medium">Notes of the newer one</h3>
          <p className="whitespace-pre-wrap text-ink-2 wrap-anywhere">{notes.trim()}</p>
        </div>
      )}
    </div>
  );
}

function ObjectDifference({ object: { kind, ns, name, change, diff } }: { readonly object: ReleaseComparison['objects'][number] }) {
  return (
    <li className="space-y-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <Verdict verdict={VERDICT[change]} />
        <span className="wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
          {ns === null ? null : <span className="text-ink-3"> in {ns}</span>}
        </span>
      </p>
      {diff === null ? <p className="text-ink-3 text-xs">You may not see this object.</p> : null}
      {diff?.length === 0 ? <p className="text-ink-3 text-xs">Only masked values differ.</p> : null}
      {diff !== null && diff.length > 0 ? <DiffView lines={diff} label={`What differs in ${kind} ${name}`} /> : null}
    </li>
  );
}
