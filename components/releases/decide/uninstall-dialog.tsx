'use client';

import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { DialogActions } from '@/components/ui/overlay/dialog-actions';
import { showToast } from '@/components/ui/overlay/toast';
import type { UninstallRequest } from '@/lib/contract/release-decision';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { sayCount } from '@/lib/words/figures';
import type { ReleasePlace } from '../release-queries';
import { releasePath, releaseQueries, storedOf } from '../release-queries';

interface UninstallDialogProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What uninstalling a release does, before it is done: its resource is deleted, and Helm uninstalls what it declared. */
export function UninstallDialog({ release, place, blocked, onClose }: UninstallDialogProps) {
  const [reason, setReason] = useState('');
  const [uid] = useState(release.uid);
  const formId = useId();
  const objects = useQuery(releaseQueries.objects(place, storedOf(release)));
  const count = objects.data?.objects.length;
  const kind = place.kind === 'helmrelease' ? 'HelmRelease' : 'FluxHelmRelease';
  const command = useCommand<UninstallRequest>(`${releasePath(place)}/uninstall`, () => {
    showToast(`${kind} ${place.name} is deleted. What Helm uninstalls is seen in the cluster; the act is on record.`);
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null) return;
    command.send({ kind: place.kind, uid, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Uninstall: ${place.name}`}
      description={`Release ${release.release.name} in ${release.release.namespace}`}
      footer={
        <DialogActions
          says="Uninstall"
          look="danger"
          blocked={blocked}
          pending={command.isPending ? 'Sending…' : null}
          act={{ form: formId }}
          refusals={[command.refusal]}
          onClose={onClose}
        />
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
        <Consequences
          sentences={[
            `${kind} ${place.name} is deleted with your permissions.`,
            `Helm's uninstall follows: it deletes ${count === undefined ? 'the objects of the newest revision' : sayCount(count, 'object')} and every stored revision, so nothing can be rolled back to.`,
            'What its chart keeps (helm.sh/resource-policy: keep), definitions in its folder crds, and volumes that claims of a StatefulSet made stay.',
            'Where the resource stands in git, whatever applies it from there makes it again, and the release with it.',
          ]}
        />
        <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
      </form>
    </Dialog>
  );
}
