'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendUndo, useCommand } from '@/components/live/use-command';
import { Consequences } from '@/components/ui/data/consequences';
import { ReasonField } from '@/components/ui/form/reason-field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showToast } from '@/components/ui/overlay/toast';
import { reasonOf } from '@/lib/contract/acts/reason-of';
import type { ReleaseDecisionRequest, ReleaseVerb } from '@/lib/contract/release-decision';
import type { ReleaseAction, ReleaseDetail } from '@/lib/contract/release-rows';
import { t as views } from '@/lib/words/catalogue/console/views';
import { t } from '@/lib/words/catalogue/releases/decide';
import { verbWord } from '@/lib/words/releases/verb-words';
import { CommitChanges } from '../compare/commit-changes';
import type { ReleasePlace } from '../release-queries';
import { momentOf, releasePath, releaseQueries } from '../release-queries';
import { GateSubject } from './gate-subject';
import { RollbackChoice } from './rollback-choice';
import { UnlockEvidence } from './unlock-evidence';
import type { ListedCommit } from './use-approved';
import { subjectOf, useApproved } from './use-approved';

interface ReleaseDialogProps {
  readonly release: ReleaseDetail;
  readonly place: ReleasePlace;
  /** The act as it was when the dialog was opened. */
  readonly action: ReleaseAction;
  /** Of an approval: the commit, where it need not be the newest one that waits. Its approvals move while the dialog is open. */
  readonly commit?: ListedCommit | undefined;
  /** Why it cannot be sent any more. */
  readonly blocked: string | null;
  readonly onClose: () => void;
}

/** What exactly an act on a release does, before it is done, and the reason it needs. */
export function ReleaseDialog({ release, place, action, commit, blocked, onClose }: ReleaseDialogProps) {
  const { verb, needsReason, consequences } = action;
  const [reason, setReason] = useState('');
  const [to, setTo] = useState<number | null>(null);
  // What was shown when it was opened is what is sent.
  const [opened] = useState({ uid: release.uid, hold: release.hold?.decision, gate: release.gate });
  const preview = useQuery({ ...releaseQueries.rollback(place, to ?? 0), enabled: to !== null });
  const isArchive = release.origin.kind === 'repository';
  const word = verbWord(verb, { isArchive });
  const onRecord = (of: ReleaseVerb) => t.forIsOnRecordWhat(verbWord(of, { isArchive }), place.name);
  const path = `${releasePath(place)}/decisions`;
  const command = useCommand<ReleaseDecisionRequest>(path, ({ name: hold }) => {
    const lift = () =>
      void sendUndo<ReleaseDecisionRequest>(path, { kind: place.kind, verb: 'lift', uid: opened.uid, seen: { hold } }, onRecord('lift'));
    showToast(onRecord(verb), 'good', verb === 'hold' ? { label: views.undo, run: lift } : undefined);
    onClose();
  });
  const history = useQuery({ ...releaseQueries.historyNow(place), enabled: verb === 'unlock' });
  const stored = history.data?.revisions[0]?.revision;
  const moment = momentOf(release);
  const { chosen, shown, why } = useApproved(place, { commit, gate: verb === 'approve' ? opened.gate : null, moment });
  const unread = whatIsUnread(verb, { isChosen: preview.data !== undefined, isRead: stored !== undefined });
  const submit = () => {
    command.send({
      kind: place.kind,
      verb,
      uid: opened.uid,
      ...reasonOf(reason),
      ...subjectOf(verb, opened.gate, chosen),
      ...(verb === 'rollback' && preview.data ? { revision: preview.data.to, seen: { stored: preview.data.from } } : {}),
      ...(verb === 'unlock' && stored !== undefined ? { seen: { stored } } : {}),
      ...(verb === 'lift' && opened.hold ? { seen: { hold: opened.hold } } : {}),
    });
  };
  return (
    <FormDialog
      wide={verb === 'rollback' || shown !== undefined}
      title={`${word}: ${place.name}`}
      description={t.releaseIn(release.release.name, release.release.namespace)}
      says={word}
      look={verb === 'rollback' || verb === 'cancel' || verb === 'unlock' ? 'danger' : 'primary'}
      blocked={blocked ?? unread ?? why}
      pending={command.isPending ? t.sending : null}
      refusals={[command.refusal]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Consequences sentences={consequences} />
      {opened.gate === null ? null : <GateSubject verb={verb} gate={opened.gate} commit={shown} />}
      {shown === undefined ? null : <CommitChanges place={place} commit={shown.commit} moment={moment} />}
      {verb === 'unlock' ? <UnlockEvidence history={history} work={release.work} /> : null}
      {verb === 'rollback' ? <RollbackChoice place={place} chosen={to} onChoose={setTo} preview={preview} /> : null}
      <ReasonField neededFor={needsReason ? word : undefined} value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function whatIsUnread(verb: ReleaseVerb, { isChosen, isRead }: { readonly isChosen: boolean; readonly isRead: boolean }): string | null {
  if (verb === 'rollback' && !isChosen) return t.chooseARevisionAndSee;
  return verb === 'unlock' && !isRead ? t.seeFirstWhichRevisionIs : null;
}
