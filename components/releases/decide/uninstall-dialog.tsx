'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { UninstallRequest } from '@/lib/contract/release-decision';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import { nameOfKind } from '@/lib/kube/kinds';
import { t } from '@/lib/words/catalogue/releases/decide';
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
  const objects = useQuery(releaseQueries.objects(place, storedOf(release)));
  const count = objects.data?.objects.length;
  const stored = useQuery(releaseQueries.historyNow(place)).data?.revisions.length;
  const isStored = stored !== 0 || release.storedRevision !== null || (release.work?.kind === 'here' && release.work.until === null);
  const { keptBy } = release;
  const kind = nameOfKind(RELEASE_TYPES[place.kind]);
  const command = useCommand<UninstallRequest>(`${releasePath(place)}/uninstall`, () => {
    showToast(toldOf(kind, place.name, { isStored, keptBy }));
    onClose();
  });
  return (
    <FormDialog
      title={t.uninstall(place.name)}
      description={t.releaseIn(release.release.name, release.release.namespace)}
      says={t.uninstallTitle}
      look="danger"
      blocked={blocked}
      pending={command.isPending ? t.sending : null}
      refusals={[command.refusal]}
      onSubmit={() => command.send({ kind: place.kind, uid, ...reasonOf(reason) })}
      onClose={onClose}
    >
      <Consequences
        sentences={[
          t.isDeletedWithYourPermissions(kind, place.name),
          ...(!isStored ? [t.nothingIsInstalled] : keptBy === null ? whatHelmDoes(place, count) : [t.staysFor(keptBy)]),
          ...(keptBy === null ? [t.whereTheResourceStandsIn] : []),
        ]}
      />
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

interface Left {
  readonly isStored: boolean;
  readonly keptBy: string | null;
}

function toldOf(kind: string, name: string, { isStored, keptBy }: Left): string {
  if (!isStored) return t.isDeletedAlone(kind, name);
  return keptBy === null ? t.isDeletedWhatHelmUninstalls(kind, name) : t.isDeletedAndStays(kind, name, keptBy);
}

function whatHelmDoes({ kind }: ReleasePlace, count: number | undefined): readonly string[] {
  return [
    t.helmsUninstallFollowsItDeletes(count === undefined ? t.theObjectsOfTheNewest : t.objects(count)),
    ...(kind === 'fluxhelmrelease' ? [] : [t.theHelmReleaseStaysUntil]),
    t.whatItsChartKeepsHelm,
  ];
}
