'use client';

import { useId, useState } from 'react';
import { ChangeList } from '@/components/ui/data/change-list';
import { Consequences } from '@/components/ui/data/consequences';
import { VerdictCounts } from '@/components/ui/data/plan-summary';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { TextField } from '@/components/ui/form/field';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { WarningLine } from '@/components/ui/status/warning';
import type { EndFate, EndPreview } from '@/lib/contract/acts/application-end';
import { END_FATES } from '@/lib/contract/acts/application-end';
import { t } from '@/lib/words/catalogue/delivery/acts';
import type { End, Ending } from './use-end';
import { useEnd } from './use-end';

const SHOWN = 50;

const FATES: Readonly<Record<EndFate, { readonly label: string; readonly hint: string }>> = {
  delete: { label: t.deleteItsObjects, hint: t.whatItAppliedGoesWithIt },
  keep: { label: t.keepItsObjects, hint: t.theyGoOn },
};

export interface EndDialogProps {
  readonly application: Ending;
  /** Why nothing can be deleted now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What deleting an application does, object by object, before exactly that is done. */
export function EndDialog({ application, blocked, onClose }: EndDialogProps) {
  const [seen] = useState(application);
  const [objects, setObjects] = useState<EndFate>('delete');
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const {
    preview: told,
    isSending,
    refusal,
    send,
  } = useEnd(seen, objects, ({ waits }) => {
    showToast(waits === null ? t.isBeingDeleted(seen.name) : t.isDeletedOnceApproved(seen.name));
    onClose();
  });
  const preview = told.data;
  const isNamed = typed.trim() === seen.name;
  const why = blocked ?? preview?.refused ?? whyUntold(told) ?? (isNamed ? null : t.typeTheNameFirst);
  return (
    <FormDialog
      wide
      title={t.deleteOf(seen.name)}
      description={t.applicationInOnRecord(seen.ns)}
      says={formatEnd(objects, preview)}
      look="danger"
      blocked={why}
      pending={isSending ? t.sending : told.isFetching ? t.computingThePreview : null}
      refusals={[refusal]}
      onSubmit={() => send(reason)}
      onClose={onClose}
    >
      <FateChoice objects={objects} onChange={setObjects} />
      <QueryView query={told} awaits={t.computingThePreview} pending={<SkeletonRows rows={3} columns={2} />}>
        {(known) => <EndView preview={known} />}
      </QueryView>
      <TextField
        label={t.typeToConfirm(seen.name)}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        className="max-w-72"
      />
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Why nothing is known of what it does; null where it is. */
function whyUntold({ data, error }: End['preview']): string | null {
  if (data !== undefined) return null;
  return error ? t.thePreviewIsMissing : t.thePreviewIsBeingComputed;
}

function formatEnd(objects: EndFate, preview: EndPreview | undefined): string {
  if (preview?.waits && !preview.approves) return t.requestTheDeletion;
  if (objects === 'keep') return t.deleteAndKeep;
  const count = preview?.counts.deleted ?? 0;
  return count === 0 ? t.delete : t.deleteWith(count);
}

function FateChoice({ objects, onChange }: { readonly objects: EndFate; readonly onChange: (objects: EndFate) => void }) {
  const name = useId();
  return (
    <fieldset className="grid grid-cols-1 gap-2 sm:grid-cols-2">
      <legend className="mb-1 font-medium text-xs">{t.itsObjects}</legend>
      {END_FATES.map((fate) => (
        <label
          key={fate}
          className="flex cursor-pointer items-start gap-2 rounded-md border border-line-strong p-2.5 has-checked:border-accent"
        >
          <input
            type="radio"
            name={name}
            value={fate}
            checked={objects === fate}
            onChange={() => onChange(fate)}
            className="mt-0.5 size-3.5 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="block font-medium">{FATES[fate].label}</span>
            <span className="block text-ink-3 text-xs">{FATES[fate].hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function EndView({ preview }: { readonly preview: EndPreview }) {
  const { changes, counts, consequences, refused, ungranted } = preview;
  return (
    <section aria-label={t.whatItDoes} className="space-y-3">
      {[refused, formatWaits(preview), ungranted ?? null].map((sentence) =>
        sentence === null ? null : <WarningLine key={sentence} text={sentence} />,
      )}
      {changes.length === 0 ? <p className="text-ink-2">{t.nothingIsRecorded}</p> : <VerdictCounts counts={counts} />}
      {changes.length > 0 ? (
        <div className="max-h-72 overflow-y-auto rounded-md border">
          <ChangeList label={t.objectsOfTheApplication} rows={changes.slice(0, SHOWN)} />
        </div>
      ) : null}
      {changes.length > SHOWN ? <p className="text-ink-3 text-xs">{t.moreAreNotShown(changes.length - SHOWN)}</p> : null}
      <Consequences sentences={consequences} />
    </section>
  );
}

function formatWaits({ waits, approves }: EndPreview): string | null {
  if (waits === null) return null;
  return approves ? t.youApproveThisAsWell(waits) : t.nothingBeforeItIsApproved(waits);
}
