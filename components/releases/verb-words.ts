import type { ReleaseVerb } from '@/lib/contract/release-decision';

/** What a decision about a release is called on buttons and in lists. */
export const RELEASE_VERB_WORD: Readonly<Record<ReleaseVerb, string>> = {
  sync: 'Sync now',
  approve: 'Approve commit',
  rollback: 'Roll back',
  hold: 'Hold',
  lift: 'Lift the hold',
  cancel: 'Stop Helm',
  unlock: 'Unlock',
  loosen: 'Demand less',
};
