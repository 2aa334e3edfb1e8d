'use client';

import { CirclePause, CirclePlay, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApplicationRefusal } from '@/components/live/application-rights';
import type { Staleness } from '@/components/live/staleness';
import { refusalWhileAway, refusalWhileStale } from '@/components/live/staleness';
import { useCommand } from '@/components/live/use-command';
import { Button } from '@/components/ui/button';
import { Refusal } from '@/components/ui/data/error-panel';
import { usePageActs } from '@/components/ui/overlay/page-acts';
import { showToast } from '@/components/ui/overlay/toast';
import type { ApplicationActRequest } from '@/lib/contract/acts/application-acts';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/acts';
import { DeleteDialog } from './delete-dialog';
import { SuspendDialog } from './suspend-dialog';

export interface ApplicationActsProps {
  readonly application: ApplicationDetail;
  readonly staleness: Staleness | null;
}

/** What can be done to an application as a whole: always the same buttons in the same places, and each says why where it is not possible. */
export function ApplicationActs({ application, staleness }: ApplicationActsProps) {
  const { ns, name, uid, suspended } = application;
  const [opened, setOpened] = useState<'suspend' | 'resume' | 'delete' | null>(null);
  const refresh = useCommand<ApplicationActRequest>(`/api/v1/namespaces/${ns}/applications/${name}/actions`, () =>
    showToast(t.isReconciledNow(name)),
  );
  const blocked = useBlocked({ application, staleness });
  const toggle = suspended === null ? 'suspend' : 'resume';
  const close = () => setOpened(null);
  const run = { refresh: () => refresh.send({ verb: 'refresh', uid }), toggle: () => setOpened(toggle), delete: () => setOpened('delete') };
  usePageActs([
    { id: 'refresh', verb: t.refresh, label: t.refreshOf(name), blocked: blocked.refresh, run: run.refresh },
    suspended === null
      ? { id: 'toggle', verb: t.suspend, label: t.suspendOf(name), blocked: blocked.toggle, run: run.toggle }
      : { id: 'toggle', verb: t.resume, label: t.resumeOf(name), blocked: blocked.toggle, run: run.toggle },
    { id: 'delete', verb: t.delete, label: t.deleteOf(name), blocked: blocked.delete, run: run.delete },
  ]);
  const Toggle = suspended === null ? CirclePause : CirclePlay;
  return (
    <fieldset className="contents" aria-label={t.actions}>
      <Button size="md" blocked={blocked.refresh} pending={refresh.isPending ? t.sending : null} onClick={run.refresh}>
        <RefreshCw size={13} aria-hidden /> {t.refresh}
      </Button>
      <Button size="md" blocked={blocked.toggle} onClick={run.toggle}>
        <Toggle size={13} aria-hidden /> {suspended === null ? t.suspend : t.resume}
      </Button>
      <Button size="md" look="warning" blocked={blocked.delete} onClick={run.delete}>
        <Trash2 size={13} aria-hidden /> {t.delete}
      </Button>
      {refresh.refusal === null ? null : <Refusal sentence={refresh.refusal} />}
      {opened === 'delete' ? <DeleteDialog application={application} blocked={blocked.delete} onClose={close} /> : null}
      {opened === 'suspend' || opened === 'resume' ? (
        <SuspendDialog verb={opened} application={application} blocked={opened === toggle ? blocked.toggle : null} onClose={close} />
      ) : null}
    </fieldset>
  );
}

/** Why each cannot be done now; null where it can. */
function useBlocked({ application, staleness }: ApplicationActsProps) {
  const [change, end] = [useApplicationRefusal(application, 'change'), useApplicationRefusal(application, 'delete')];
  const { suspended, deleting } = application;
  const held = suspended === null ? null : t.theApplicationIsSuspended;
  return {
    refresh: change ?? held ?? refusalWhileAway(staleness),
    toggle: change ?? refusalWhileAway(staleness),
    delete: end ?? change ?? (deleting ? t.theApplicationIsBeingDeleted : held) ?? refusalWhileStale(staleness),
  };
}
