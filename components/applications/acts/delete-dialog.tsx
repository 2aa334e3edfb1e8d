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
import type { DeletionPolicy, DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { DELETION_POLICIES } from '@/lib/contract/acts/application-deletion';
import { t } from '@/lib/words/catalogue/delivery/acts';
import type { Deletion, DeletionTarget } from './use-deletion';
import { useDeletion } from './use-deletion';

const SHOWN = 50;

const POLICIES: Readonly<Record<DeletionPolicy, { readonly label: string; readonly hint: string }>> = {
  delete: { label: t.deleteItsObjects, hint: t.whatItAppliedGoesWithIt },
  keep: { label: t.keepItsObjects, hint: t.theyGoOn },
};

export interface DeleteDialogProps {
  readonly application: DeletionTarget;
  /** Why nothing can be deleted now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What deleting an application does, object by object, before exactly that is done. */
export function DeleteDialog({ application, blocked, onClose }: DeleteDialogProps) {
  const [seen] = useState(application);
  const [objects, setObjects] = useState<DeletionPolicy>('delete');
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const {
    preview: told,
    isSending,
    refusal,
    send,
  } = useDeletion(seen, objects, ({ waits }) => {
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
      says={formatDeletion(objects, preview)}
      look="danger"
      blocked={why}
      pending={isSending ? t.sending : told.isFetching ? t.computingThePreview : null}
      refusals={[refusal]}
      onSubmit={() => send(reason)}
      onClose={onClose}
    >
      <PolicyChoice objects={objects} onChange={setObjects} />
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
function whyUntold({ data, error }: Deletion['preview']): string | null {
  if (data !== undefined) return null;
  return error ? t.thePreviewIsMissing : t.thePreviewIsBeingComputed;
}

function formatDeletion(objects: DeletionPolicy, preview: DeletionPreview | undefined): string {
  if (preview?.waits && !preview.approves) return t.requestTheDeletion;
  if (objects === 'keep') return t.deleteAndKeep;
  const count = preview?.counts.deleted ?? 0;
  return count === 0 ? t.delete : t.deleteWith(count);
}

function PolicyChoice({ objects, onChange }: { readonly objects: DeletionPolicy; readonly onChange: (objects: DeletionPolicy) => void }) {
  const name = useId();
  return (
    <fieldset className="grid grid-cols-1 gap-2 sm:grid-cols-2">
      <legend className="mb-1 font-medium text-xs">{t.itsObjects}</legend>
      {DELETION_POLICIES.map((fate) => (
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
            <span className="block font-medium">{POLICIES[fate].label}</span>
            <span className="block text-ink-3 text-xs">{POLICIES[fate].hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function EndView({ preview }: { readonly preview: DeletionPreview }) {
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

function formatWaits({ waits, approves }: DeletionPreview): string | null {
  if (waits === null) return null;
  return approves ? t.youApproveThisAsWell(waits) : t.nothingBeforeItIsApproved(waits);
}
