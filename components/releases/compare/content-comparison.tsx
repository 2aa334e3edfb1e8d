import { Verdict } from '@/components/ui/data/change-list';
import { DiffView } from '@/components/ui/data/diff-view';
import type { ContentComparison as Content } from '@/lib/contract/release-comparison';
import { sayCount } from '@/lib/words/figures';

const VERDICT = { created: 'new', changed: 'changed', deleted: 'deleted' } as const;

/** How two contents of a release differ: values, objects one by one, and what the chart says to whoever installs the newer one. */
export function ContentComparison({ content: { values, valuesDiffer, hidesValues, objects, notes } }: { readonly content: Content }) {
  return (
    <div className="space-y-3">
      <div className="space-y-1">
        <h3 className="font-medium">Values</h3>
        {values.length > 0 ? <DiffView lines={values} label="How the values differ" /> : null}
        {values.length === 0 ? <p className="text-ink-3">{valuesDiffer ? 'Only masked values differ.' : 'The same.'}</p> : null}
        {hidesValues ? <p className="text-ink-3 text-xs">Values that are not in the resource are masked, here and in the objects.</p> : null}
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

function ObjectDifference({ object: { kind, ns, name, change, diff } }: { readonly object: Content['objects'][number] }) {
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
