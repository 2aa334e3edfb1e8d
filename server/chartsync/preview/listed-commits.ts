import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import type { ListedFacts } from '../gate/commit-gate';

/** The newest commits that touched the chart of a release; each that a gate may keep from it with what approving it depends on. */
export interface ListedCommits extends Omit<ReleaseCommits, 'commits'> {
  readonly commits: readonly (Omit<ReleaseCommits['commits'][number], 'approval'> & { readonly facts: ListedFacts | undefined })[];
}
