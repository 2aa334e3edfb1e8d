import { t } from '@/lib/words/catalogue/console/live';
/** What an engine that does not drive keeps from being done, by the engine's name. */
export const REFUSED: Readonly<Record<string, string>> = {
  application: t.applicationsAreReadOnlyHere,
  rollout: t.rolloutsAreReadOnlyHere,
  chartsync: t.helmReleasesAreReadOnly,
};
