'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Ago } from '@/components/live/ago';
import { deleteJson } from '@/components/live/request';
import { Consequences } from '@/components/ui/data/consequences';
import { CheckBox } from '@/components/ui/form/check-box';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { rich } from '@/components/ui/words/rich';
import { messageOf } from '@/lib/contract/app-error';
import type { SessionRow } from '@/lib/contract/sessions/session-rows';
import { endedSessions } from '@/lib/contract/sessions/session-rows';
import { t } from '@/lib/words/catalogue/sessions/sessions';
import { SESSIONS_KEY } from './sessions-queries';

/** What is to end: one session, or all others of the person who asks. */
export type EndedSessions = { readonly kind: 'others' } | { readonly kind: 'one'; readonly row: SessionRow; readonly isAdmin: boolean };

interface EndDialogProps {
  readonly ends: EndedSessions;
  /** Why none can be ended now. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** Ends sessions, once what that means was read. */
export function EndSessionsDialog({ ends, blocked, onClose }: EndDialogProps) {
  const [all, setAll] = useState(false);
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: () => deleteJson(pathOf(ends, all), endedSessions),
    onSuccess: ({ ended }) => {
      void queries.invalidateQueries({ queryKey: SESSIONS_KEY });
      showToast(t.isEnded(ended), 'good');
      onClose();
    },
    // Somebody else may have ended it meanwhile.
    onError: () => void queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  });
  const isOne = ends.kind === 'one' && !all;
  return (
    <FormDialog
      title={ends.kind === 'others' ? t.endAllOtherSessions : t.endThatOf(ends.row.client, ends.row.user)}
      description={
        ends.kind === 'others' ? t.yourThisOneStays : rich(t.signedInAt(ends.row.address ?? t.unknown, <Ago at={ends.row.since} />))
      }
      says={ends.kind === 'others' ? t.endAllOthers : t.endThisSession}
      look="danger"
      blocked={blocked}
      pending={ending.isPending ? t.ending : null}
      refusals={[ending.error === null ? null : messageOf(ending.error)]}
      onSubmit={() => ending.mutate()}
      onClose={onClose}
    >
      {ends.kind === 'one' && ends.isAdmin ? <AllOf user={ends.row.user} checked={all} onChange={setAll} /> : null}
      <Consequences sentences={[isOne ? t.itsPagesClose : t.theirPagesClose, t.signingInAgainIsPossible]} />
    </FormDialog>
  );
}

function AllOf({
  user,
  checked,
  onChange,
}: {
  readonly user: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-2 wrap-anywhere">
      <CheckBox id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {t.allSessionsOf(user)}
    </label>
  );
}

function pathOf(ends: EndedSessions, all: boolean): string {
  if (ends.kind === 'others') return '/api/v1/sessions';
  return all ? `/api/v1/sessions?user=${encodeURIComponent(ends.row.user)}` : `/api/v1/sessions/${encodeURIComponent(ends.row.key)}`;
}
