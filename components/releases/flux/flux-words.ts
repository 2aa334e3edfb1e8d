import type { FluxSourceName, FluxVerb } from '@/lib/contract/flux-kind';

/** What an act is called on its button. */
export const FLUX_VERB_WORD: Readonly<Record<FluxVerb, string>> = {
  reconcile: 'Reconcile now',
  force: 'Force',
  reset: 'Reset failures',
  suspend: 'Suspend',
  resume: 'Resume',
};

/** What was asked, as the page tells it. */
export const FLUX_ASKED_WORD = { reconcile: 'Reconciliation', force: 'Force', reset: 'Reset' } as const;

export const SOURCE_KIND_WORD: Readonly<Record<FluxSourceName, string>> = {
  gitrepository: 'GitRepository',
  helmrepository: 'HelmRepository',
  ocirepository: 'OCIRepository',
  helmchart: 'HelmChart',
};
