'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { UninstallUndeclaredRequest } from '@/lib/contract/release-decision';
import type { UndeclaredDetail } from '@/lib/contract/undeclared-releases';
import { t } from '@/lib/words/catalogue/releases/undeclared';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries, undeclaredPath } from '../release-queries';

interface UninstallUndeclaredProps {
  readonly place: Pick<ReleasePlace, 'ns' | 'name'>;
  readonly onAccepted: () => void;
  readonly onClose: () => void;
}

/** What uninstalling a release does that no resource declares, object by object, before it is decided. */
export function UninstallUndeclaredDialog({ place, onAccepted, onClose }: UninstallUndeclaredProps) {
  const { ns, name } = place;
  const [reason, setReason] = useState('');
  const told = useQuery(releaseQueries.undeclaredOne(place));
  const blocked = told.data === undefined ? (told.isError ? t.isUnread : t.isRead) : told.data.refusal;
  const command = useCommand<UninstallUndeclaredRequest>(`${undeclaredPath(place)}/uninstall`, () => {
    showToast(t.isDecided(name));
    onAccepted();
    onClose();
  });
  const submit = () => {
    if (told.data === undefined) return;
    const { revision, uid } = told.data;
    command.send({ revision, uid, ...reasonOf(reason) });
  };
  return (
    <FormDialog
      title={t.dialog(name)}
      description={t.about(name, ns)}
      says={t.uninstall}
      look="danger"
      blocked={blocked}
      pending={command.isPending ? t.sending : null}
      refusals={[command.refusal]}
      onSubmit={submit}
      onClose={onClose}
    >
      <QueryView query={told} awaits={t.reading} pending={<SkeletonRows rows={3} columns={2} />} isEmpty={() => false} empty={null}>
        {(data) => (
          <div className="space-y-4">
            <Consequences sentences={consequencesOf(data)} />
            <Goes detail={data} />
          </div>
        )}
      </QueryView>
      <ReasonField neededFor={undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function consequencesOf({ ns, account, objects, hooks }: UndeclaredDetail): readonly string[] {
  const kept = objects.filter(({ isKept }) => isKept).length;
  return [
    account === null ? t.runsAsServer : t.runsAs(account, ns),
    t.deletes(objects.length - kept),
    ...(hooks.length === 0 ? [] : [t.runsHooks(hooks.length)]),
    kept === 0 ? t.stays : t.keeps(kept),
    t.again,
  ];
}

/** Each object, and what becomes of it. */
function Goes({ detail: { objects, hooks } }: { readonly detail: UndeclaredDetail }) {
  const lines = [
    ...objects.map(({ isKept, ...object }) => ({ ...object, becomes: isKept ? ('stays' as const) : ('deleted' as const) })),
    ...hooks.map((object) => ({ ...object, becomes: 'hook' as const })),
  ];
  if (lines.length === 0) return null;
  return (
    <section aria-label={t.objects}>
      <h3 className="mb-1.5 font-medium text-ink-3 text-xs">{t.objects}</h3>
      <ul className="max-h-56 divide-y overflow-y-auto rounded-lg border">
        {lines.map(({ kind, ns, name, becomes }) => (
          <li key={`${kind} ${ns} ${name} ${becomes}`} className="flex flex-wrap gap-x-2 px-3 py-1.5">
            <span className="min-w-0 wrap-anywhere">
              <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
              {ns === null ? null : <span className="text-ink-3"> {ns}</span>}
            </span>
            <span className={becomes === 'deleted' ? 'ml-auto text-bad' : 'ml-auto text-ink-3'}>{t.wordOf[becomes]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
