import type { DriftRepair } from '@/lib/contract/drift-rows';
import type { DriftInput } from './find-drift';

/** What an application's newest revision wants of one object, and whether what differs is put back. */
export interface DesiredObject extends Pick<DriftInput, 'manifest' | 'policy'> {
  readonly revision: string;
  /** False while the last try to apply the revision failed: then it is not drift that differs, but what the revision would change. */
  readonly isApplied: boolean;
  readonly tracker: { readonly name: string; readonly uid: string };
  readonly repair: DriftRepair;
}

/** Why nothing is wanted of an object now: its revision is not applied yet, or does not list it. */
export interface NotCompared {
  readonly uncompared: string;
}
