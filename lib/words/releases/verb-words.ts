import { t as ui } from '@/lib/words/catalogue/console/ui';
import { t } from '@/lib/words/catalogue/releases/releases';

/** What a decision about a release is called on buttons and in lists. */
export const RELEASE_VERB_WORD = {
  sync: t.syncNow,
  approve: t.approveCommit,
  rollback: t.rollBack,
  hold: t.hold,
  lift: t.liftTheHold,
  cancel: t.stopHelm,
  unlock: t.unlock,
  loosen: t.requireLess,
} as const;

/** What somebody did who decided so: what made a revision is told as done. */
export const RELEASE_DONE_WORD = {
  sync: t.synced,
  approve: t.approved,
  rollback: ui.rolledBack,
  hold: ui.held,
  lift: t.holdLifted,
  cancel: t.helmStopped,
  unlock: t.unlocked,
  loosen: t.policyLoosened,
  edit: t.edited,
} as const;

/** The same where it is known what the decision is about: of a chart that is pulled an archive is approved. */
export function verbWord(verb: keyof typeof RELEASE_VERB_WORD, { isArchive }: { readonly isArchive: boolean }): string {
  return isArchive && verb === 'approve' ? t.approveArchive : RELEASE_VERB_WORD[verb];
}
