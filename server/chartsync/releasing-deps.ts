import type { Log } from '@/server/platform';
import type { ComparisonCache } from './compare/comparison-cache';
import type { Cancellations } from './decisions/cancellations';
import type { KeyedMutex } from './loops/keyed-mutex';
import type { GatePort, GrantPort, HelmPort, ObjectsPort, PlanPort, SyncReport } from './ports';
import type { ValuesReader } from './values/resolve';

/** What either profile needs to bring a release about. */
export interface ReleasingDeps<Resource> {
  readonly helm: HelmPort;
  readonly objects: ObjectsPort;
  readonly values: ValuesReader;
  readonly exclusion: KeyedMutex;
  readonly equal: ComparisonCache;
  /** Why a resource may not have its release: another resource declared it first. */
  readonly refusalOf: (resource: Resource) => Promise<string | undefined>;
  /** Whether a person holds it where it is; throws while nobody can tell. */
  readonly isHeld: (resource: Resource) => boolean;
  readonly gate: GatePort;
  readonly plans: PlanPort;
  readonly grants: GrantPort;
  readonly cancels: Pick<Cancellations, 'requireNotCancelled' | 'noteOf'>;
  readonly log: Log;
  readonly notify: (told: SyncReport) => void;
}
