import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import type { ObjectDetail } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';

/** Who set which field, as the API server notes it: the manager that wrote last comes first. */
export function ManagersList({ managers }: { readonly managers: ObjectDetail['managers'] }) {
  if (managers.length === 0) return <p className="px-4 py-6 text-ink-3">{t.theAPIServerRecordsNo}</p>;
  return (
    <ul className="divide-y">
      {managers.map(({ manager, operation, subresource, at, fields, more }) => (
        <li key={`${manager} ${operation} ${subresource ?? ''}`}>
          <details className="group">
            <summary className="focus-inset flex cursor-default flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2 hover:bg-hover">
              <span className="min-w-0 font-medium wrap-anywhere">{manager}</span>
              <Badge>{operation === 'Apply' ? t.applied : t.updated}</Badge>
              {subresource ? <Badge>{subresource}</Badge> : null}
              <span className="text-ink-3 text-xs">{t.fields(fields.length + more)}</span>
              <span className="ml-auto text-ink-3 text-xs">
                <Ago at={at} none="" />
              </span>
            </summary>
            <ul aria-label={t.fieldsOf(manager)} className="px-4 pb-3 font-mono text-ink-2 text-xs leading-5">
              {fields.map((field) => (
                <li key={field} className="wrap-anywhere">
                  {field}
                </li>
              ))}
              {more > 0 ? <li className="font-sans text-ink-3">{t.moreFields(more)}</li> : null}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
