import { Ago } from '@/components/live/ago';
import { Sentence } from '@/components/ui/time/sentence';
import { rich } from '@/components/ui/words/rich';
import type { ObjectDrift, ObjectDriftField } from '@/lib/contract/drift-rows';
import { t } from '@/lib/words/catalogue/delivery/drift';
import { FIELD_CHANGE, FIELD_KIND, revertTiming } from './drift-words';

/** The fields that differ: what is wanted, what was found, who set it and since when, and when it is put back. */
export function DriftFields({ drift }: { readonly drift: ObjectDrift }) {
  return (
    <ul className="divide-y rounded-md border bg-panel">
      {drift.fields.map((field) => (
        <li key={field.path} className="grid gap-x-6 gap-y-1.5 px-3 py-2 md:grid-cols-[minmax(0,5fr)_minmax(0,4fr)_minmax(0,3fr)]">
          <div className="min-w-0">
            <p className="break-all font-mono text-xs">{field.path}</p>
            <p className="text-ink-3 text-xs">
              <Sentence text={drift.isApplied ? formatDrifted(field, drift) : `${sentence(FIELD_CHANGE[field.kind])}.`} />
            </p>
          </div>
          <Values field={field} />
          {field.kind === 'removed' && !drift.isApplied ? null : <Setter field={field} hasManagedFields={drift.hasManagedFields} />}
        </li>
      ))}
    </ul>
  );
}

function formatDrifted({ hidden, kind, kept }: ObjectDriftField, { repair }: ObjectDrift): string {
  return `${hidden === 'record' ? t.ourRecordOfWhatWas : `${sentence(FIELD_KIND[kind])}.`} ${revertTiming(kept, repair)}`;
}

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function Values({ field: { hidden, desired, live } }: { readonly field: ObjectDriftField }) {
  if (hidden !== null) return <p className="text-ink-3 text-xs">{hidden === 'secret' ? t.aValueOfASecret : t.aWholeManifestNotShown}</p>;
  return (
    <dl className="grid min-w-0 content-start grid-cols-[4rem_minmax(0,1fr)] text-xs">
      <dt className="text-ink-3">{t.desired}</dt>
      <dd className="break-all font-mono">{desired ?? <span className="font-sans text-ink-3">{t.nothing}</span>}</dd>
      <dt className="text-ink-3">{t.live}</dt>
      <dd className="break-all font-mono text-warn">{live ?? <span className="font-sans">{t.nothing}</span>}</dd>
    </dl>
  );
}

interface SetterProps {
  readonly field: ObjectDriftField;
  readonly hasManagedFields: boolean;
}

function Setter({ field: { setBy, kind }, hasManagedFields }: SetterProps) {
  if (setBy === null) {
    return (
      <p className="text-ink-3 text-xs">
        {kind === 'removed' && hasManagedFields ? t.kubernetesDoesNotRecordWho : t.kubernetesDidNotRecordWho}
      </p>
    );
  }
  return (
    <p className="text-xs">
      <span className="text-ink-3">{t.setBy} </span>
      <span className="break-all font-medium">{setBy.manager}</span>
      {setBy.subresource ? <span className="text-ink-3"> {t.through(setBy.subresource)}</span> : null}
      <span className="block text-ink-3" title={t.theLastWriteOfThis}>
        {setBy.since === null
          ? t.timeNotRecorded
          : rich(t.orBefore(setBy.operation === 'Apply' ? t.applied : t.written, <Ago at={setBy.since} />))}
      </span>
    </p>
  );
}
