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

/** The same where it is known what the decision is about: of a chart that is pulled an archive is approved. */
export function verbWord(verb: keyof typeof RELEASE_VERB_WORD, { isArchive }: { readonly isArchive: boolean }): string {
  return isArchive && verb === 'approve' ? t.approveArchive : RELEASE_VERB_WORD[verb];
}
