import { Ago } from '@/components/live/ago';
import { DiffView } from '@/components/ui/data/diff-view';
import { WarningLine } from '@/components/ui/status/warning';
import type { ObjectEditPreview } from '@/lib/contract/acts/object-edit';
import { t } from '@/lib/words/catalogue/objects/edit';

/** What the cluster would make of an object that was edited: who may set it back first, then what is not taken, who owns what changes, and the lines. */
export function EditPreview({ preview, name }: { readonly preview: ObjectEditPreview; readonly name: string }) {
  const { lines, owners, ignored, warnings } = preview;
  return (
    <>
      {warnings.map((sentence) => (
        <WarningLine key={sentence} text={sentence} />
      ))}
      {ignored.length === 0 ? null : (
        <section aria-label={t.notTaken}>
          <h3 className="mb-1 font-medium text-bad">{t.theClusterDoesNotTake}</h3>
          <Fields fields={ignored} />
        </section>
      )}
      {owners.length === 0 ? null : (
        <section aria-label={t.setBy}>
          <h3 className="mb-1 font-medium">{t.whoSetWhatChanges}</h3>
          <ul className="space-y-2">
            {owners.map(({ manager, operation, at, fields }) => (
              <li key={`${manager} ${operation}`}>
                <p>
                  <span className="font-medium wrap-anywhere">{manager}</span>{' '}
                  <span className="text-ink-3 text-xs">
                    {operation === 'Apply' ? t.byServerSideApply : t.byOperation(operation)}
                    {at === null ? null : (
                      <>
                        , <Ago at={at} />
                      </>
                    )}
                  </span>
                </p>
                <Fields fields={fields} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {lines.length === 0 ? <p className="text-ink-2">{t.nothingWouldChange}</p> : <DiffView label={t.whatChangesIn(name)} lines={lines} />}
    </>
  );
}

function Fields({ fields }: { readonly fields: readonly string[] }) {
  return (
    <ul className="max-h-40 overflow-y-auto font-mono text-ink-2 text-xs">
      {fields.map((field) => (
        <li key={field} className="wrap-anywhere">
          {field}
        </li>
      ))}
    </ul>
  );
}
