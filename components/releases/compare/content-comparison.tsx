import { Verdict } from '@/components/ui/data/change-list';
import { DiffView } from '@/components/ui/data/diff-view';
import type { ContentComparison as Content } from '@/lib/contract/release-comparison';
import { t } from '@/lib/words/catalogue/releases/compare';

const VERDICT = { created: 'new', changed: 'changed', deleted: 'deleted' } as const;

/** How two contents of a release differ: values, objects one by one, and what the chart says to whoever installs the newer one. */
export function ContentComparison({ content: { values, valuesDiffer, hidesValues, objects, notes } }: { readonly content: Content }) {
  return (
    <div className="space-y-3">
      <div className="space-y-1">
        <h3 className="font-medium">{t.values}</h3>
        {values.length > 0 ? <DiffView lines={values} label={t.howTheValuesDiffer} /> : null}
        {values.length === 0 ? <p className="text-ink-3">{valuesDiffer ? t.onlyMaskedValuesDiffer : t.theSame}</p> : null}
        {hidesValues ? <p className="text-ink-3 text-xs">{t.valuesThatAreNotIn}</p> : null}
      </div>
      <div className="space-y-1">
        <h3 className="font-medium">{t.objects}</h3>
        {objects.length === 0 ? (
          <p className="text-ink-3">{t.noObjectDiffers}</p>
        ) : (
          <p className="text-ink-3">{t.objectsDiffer(objects.length)}</p>
        )}
        <ul className="space-y-2">
          {objects.map((object) => (
            <ObjectDifference key={`${object.apiVersion} ${object.kind} ${object.ns} ${object.name}`} object={object} />
          ))}
        </ul>
      </div>
      {notes === null ? null : (
        <div className="space-y-1">
          <h3 className="font-medium">{t.notesOfTheNewerOne}</h3>
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
          {ns === null ? null : <span className="text-ink-3"> {t.in(ns)}</span>}
        </span>
      </p>
      {diff === null ? <p className="text-ink-3 text-xs">{t.youMayNotSeeThis}</p> : null}
      {diff?.length === 0 ? <p className="text-ink-3 text-xs">{t.onlyMaskedValuesDiffer}</p> : null}
      {diff !== null && diff.length > 0 ? <DiffView lines={diff} label={t.whatDiffersIn(kind, name)} /> : null}
    </li>
  );
}
