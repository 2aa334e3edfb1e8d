import type { FluxSourceName, FluxVerb } from '@/lib/contract/flux-kind';
import { t } from '@/lib/words/catalogue/releases/flux';

/** What an act is called on its button. */
export const FLUX_VERB_WORD: Readonly<Record<FluxVerb, string>> = {
  reconcile: t.reconcileNow,
  force: t.force,
  reset: t.resetFailures,
  suspend: t.suspend,
  resume: t.resume,
};

/** What was asked, as the page tells it. */
export const FLUX_ASKED_WORD = { reconcile: t.reconciliation, force: t.force, reset: t.reset } as const;

export const SOURCE_KIND_WORD: Readonly<Record<FluxSourceName, string>> = {
  gitrepository: 'GitRepository',
  helmrepository: 'HelmRepository',
  ocirepository: 'OCIRepository',
  helmchart: 'HelmChart',
};
