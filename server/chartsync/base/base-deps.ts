import type { PinnedExports } from '../exports/pinned-exports';
import type { WorkingCopies } from '../loops/working-copies';
import type { BaseRelease } from '../model/declared';
import type { ResourcePort } from '../ports';
import type { ReleasingDeps } from '../releasing-deps';

/** What releases of the base kind are brought about with. */
export interface BaseDeps extends ReleasingDeps<BaseRelease> {
  readonly resources: Pick<ResourcePort, 'read' | 'isStopped'>;
  readonly copies: WorkingCopies;
  /** What gated releases are compared with. */
  readonly held: PinnedExports;
  /** Ends with the loops. */
  readonly signal: AbortSignal;
  readonly config: BaseConfig;
}

export interface BaseConfig {
  readonly chartsPath: string;
  /** Writes what differs to the log along with the fact, secrets included (R-LOG-1). */
  readonly logDiffs: boolean;
  /** Builds dependencies that are declared and do not lie in the chart. */
  readonly updateDeps: boolean;
}
