'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { CheckBox } from '@/components/ui/form/check-box';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { FluxActRequest, ShownSource } from '@/lib/contract/flux-acts';
import type { FluxAct, FluxReference, FluxReleaseDetail } from '@/lib/contract/flux-rows';
import { t } from '@/lib/words/catalogue/releases/flux';
import { formatList } from '@/lib/words/figures';
import type { FluxPlace } from './flux-queries';
import { fluxPath, fluxQueries } from './flux-queries';
import { FLUX_VERB_WORD, SOURCE_KIND_WORD } from './flux-words';

interface FluxDialogProps {
  readonly object: Pick<FluxReleaseDetail, 'uid' | 'generation'>;
  readonly place: FluxPlace;
  /** The act as it was when the dialog was opened. */
  readonly act: FluxAct;
  readonly source: FluxReference | null;
  /** Why it cannot be sent any more. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What exactly is asked of Flux, before it is asked. */
export function FluxDialog({ object, place, act: { verb, consequences }, source, blocked, onClose }: FluxDialogProps) {
  const [reason, setReason] = useState('');
  const [withSources, setWithSources] = useState(false);
  // What was shown when it was opened is what is sent.
  const [seen] = useState({ uid: object.uid, generation: object.generation });
  const sources = useSources(verb === 'reconcile' ? source : null);
  const word = FLUX_VERB_WORD[verb];
  const formId = useId();
  const command = useCommand<FluxActRequest>(`${fluxPath(place)}/actions`, () => {
    showToast(t.forIsOnRecordWhether(word, place.name));
    onClose();
  });
  const submit = () => {
    command.send({
      kind: place.kind,
      verb,
      ...seen,
      ...(withSources ? { sources: [...sources] } : {}),
      ...reasonOf(reason),
    });
  };
  const names = sources.map(({ kind, name }) => `${SOURCE_KIND_WORD[kind]} ${name}`);
  return (
    <FormDialog
      title={`${word}: ${place.name}`}
      description={t.inDrivenByFlux(place.ns)}
      says={word}
      look={verb === 'force' ? 'danger' : 'primary'}
      blocked={blocked}
      pending={command.isPending ? t.sending : null}
      refusals={[command.refusal]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Consequences sentences={withSources ? [...consequences, t.firstFluxIsAskedTo(formatList(names))] : consequences} />
      {sources.length === 0 ? null : (
        <label htmlFor={`${formId}-sources`} className="flex items-start gap-2">
          <CheckBox
            id={`${formId}-sources`}
            className="mt-1"
            checked={withSources}
            onChange={(event) => setWithSources(event.target.checked)}
          />
          <span className="min-w-0 wrap-anywhere">{t.fetchItsSourcesFirst(formatList(names))}</span>
        </label>
      )}
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** The sources behind a release, as far as the page has read them: the one it names, and what that comes from. What only holds an address is none. */
function useSources(first: FluxReference | null): readonly ShownSource[] {
  const named = useSource(first);
  const behind = useSource(named?.from ?? null);
  return [named, behind].flatMap((source) => {
    const isAddress = source?.kind === 'helmrepository' && source.interval === null;
    return source === undefined || isAddress ? [] : [{ kind: source.kind, ns: source.ns, name: source.name, uid: source.uid }];
  });
}

function useSource(of: FluxReference | null) {
  const page = of?.page ?? null;
  const place = { ns: of?.ns ?? '', kind: page ?? 'helmchart', name: of?.name ?? '' } as const;
  const { data } = useQuery({ ...fluxQueries.source(place), enabled: page !== null });
  return page === null ? undefined : data?.rows[0];
}
