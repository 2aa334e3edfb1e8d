'use client';

import { Ban } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { asSentence } from '@/components/ui/as-sentence';
import { Consequences } from '@/components/ui/data/consequences';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { TextField } from '@/components/ui/form/field';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { Sentence } from '@/components/ui/time/sentence';
import type { ActRow, ActTarget, ObjectActPlan, ObjectVerb } from '@/lib/contract/object-acts';
import { t } from '@/lib/words/catalogue/objects/acts';
import { formatActOn, formatDone, formatRefused, formatRest } from '@/lib/words/format-act';
import type { ObjectAct } from './use-object-act';
import { useObjectAct } from './use-object-act';

export interface ActDialogProps {
  readonly verb: ObjectVerb;
  readonly targets: readonly ActTarget[];
  /** Why nothing can be done now, for instance because the server does not answer. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What an act does to each object, before it is done: what is not allowed stands first. */
export function ActDialog({ verb, targets, blocked, onClose }: ActDialogProps) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const replicas = useDeferredValue(/^\d{1,5}$/.test(typed.trim()) ? Number(typed) : null);
  const { plan: told, done, isSending, refusal, send } = useObjectAct(verb, targets, replicas);
  const plan = told.data;
  const isOver = done !== undefined && done.failed.length === 0;
  useEffect(() => {
    if (!isOver) return;
    showToast(formatDone(verb, done.done));
    onClose();
  }, [isOver, done, verb, onClose]);
  const missing = missingReason(verb, replicas, told);
  const why = blocked ?? missing;
  return (
    <FormDialog
      wide={targets.length > 1}
      title={formatActOn(verb, targets)}
      description={t.withYourPermissionsAndOn}
      says={plan ? formatRest(verb, plan) : formatActOn(verb, targets)}
      look={verb === 'delete' ? 'danger' : 'primary'}
      blocked={why}
      pending={isSending ? t.sending : told.isFetching ? t.computingThePreview : null}
      refusals={[refusal]}
      onSubmit={() => send(reason)}
      onClose={onClose}
    >
      {verb === 'scale' ? (
        <TextField
          label={t.replicas}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="max-w-32"
          autoComplete="off"
        />
      ) : null}
      {done && done.failed.length > 0 ? (
        <Refused
          title={t.notDoneAfterAll(formatDone(verb, done.done))}
          rows={done.failed.map((row) => ({ ...row, refused: row.sentence }))}
        />
      ) : null}
      {verb === 'scale' && replicas === null ? null : (
        <QueryView query={told} awaits={t.computingThePreview} pending={<SkeletonRows rows={2} columns={1} />}>
          {(known) => <Plan plan={known} />}
        </QueryView>
      )}
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Why the act cannot be sent yet, or at all. */
function missingReason(verb: ObjectVerb, replicas: number | null, { data: plan, error }: ObjectAct['plan']): string | null {
  if (verb === 'scale' && replicas === null) return t.enterTheNumberOfReplicas;
  if (plan === undefined) return error ? t.thePreviewIsMissing : t.thePreviewIsBeingComputed;
  return plan.allowed === 0 ? t.noneOfItIsAllowed : null;
}

function Plan({ plan: { verb, rows } }: { readonly plan: ObjectActPlan }) {
  const refused = rows.filter((row) => row.refused !== null);
  const allowed = rows.filter((row) => row.refused === null);
  const [only] = allowed;
  return (
    <>
      {refused.length > 0 ? <Refused title={formatRefused(verb, refused.length, rows.length)} rows={refused} /> : null}
      {rows.length === 1 && only ? (
        <Consequences sentences={only.consequences.length > 0 ? only.consequences.map(asSentence) : [t.nothingElseGoesWithIt]} />
      ) : (
        <Allowed rows={allowed} />
      )}
    </>
  );
}

function Refused({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly Pick<ActRow, 'id' | 'kind' | 'name' | 'ns' | 'refused'>[];
}) {
  return (
    <section aria-label={title} className="rounded-md border border-line-strong p-3">
      <h3 className="mb-1.5 flex items-center gap-1.5 font-medium text-bad">
        <Ban size={14} aria-hidden /> {title}
      </h3>
      <ul className="max-h-48 space-y-1.5 overflow-y-auto">
        {rows.map(({ id, kind, name, ns, refused }) => (
          <li key={id} className="wrap-anywhere">
            <span className="text-ink-3">{kind}</span> {name}
            {ns ? <span className="text-ink-3"> {t.in(ns)}</span> : null}
            <span className="block text-ink-2 text-xs">
              <Sentence text={refused ?? ''} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Allowed({ rows }: { readonly rows: readonly ActRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={t.whatHappens}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{t.whatHappens}</h3>
      <ul className="divide-y">
        {rows.map(({ id, kind, name, ns, consequences }) => (
          <li key={id} className="py-1.5 wrap-anywhere">
            <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
            {ns ? <span className="text-ink-3"> {t.in(ns)}</span> : null}
            {consequences.map((sentence) => (
              <span key={sentence} className="block text-ink-2 text-xs">
                <Sentence text={sentence} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
