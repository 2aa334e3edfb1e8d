import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/lib/contract/app-error';
import type { ReleaseCommits } from '@/lib/contract/release-comparison';
import type { ReleaseDecisionRequest, ReleaseVerb } from '@/lib/contract/release-decision';
import type { GateView } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/decide';
import { givenOf } from '@/lib/words/releases/format-given';
import type { ReleasePlace } from '../release-queries';
import { releaseQueries } from '../release-queries';
import type { ShownCommit } from './gate-subject';

/** A commit that somebody chose to approve, as the list of commits has it now. */
export type ListedCommit = Pick<ReleaseCommits['commits'][number], 'commit' | 'subject' | 'author' | 'approval'>;

interface ApprovedMatter {
  /** The one that somebody chose; undefined where the newest is meant. */
  readonly commit: ListedCommit | undefined;
  /** Undefined where nothing is approved. */
  readonly gate: GateView | null;
  readonly moment: string;
}

/** A commit that somebody chose, with its chart, which is not known before the server told it. */
type Chosen = Pick<ReleaseCommits['commits'][number], 'commit'> & { readonly chart: string | null };

interface Approved {
  /** Undefined of the newest commit, which the gate tells. */
  readonly chosen: Chosen | undefined;
  readonly shown: ShownCommit | undefined;
  /** Why it cannot be sent yet, or would not count. */
  readonly why: string | null;
}

/** The commit that an approval is about: one that somebody chose, or the newest that waits. */
export function useApproved(place: ReleasePlace, { commit, gate, moment }: ApprovedMatter): Approved {
  const asked = { commit: commit?.commit ?? '', approval: commit?.approval };
  const { data, error, isPlaceholderData } = useQuery({ ...releaseQueries.approvable(place, asked), enabled: commit !== undefined });
  // The chart that was told first is what was shown, and stays what is sent; what people approved meanwhile is told again.
  const [chart, keepChart] = useState<string | null>(null);
  if (chart === null && data !== undefined && data.chart !== null) keepChart(data.chart);
  const newest = gate?.waiting ? { ...gate.waiting, given: givenOf(gate) } : undefined;
  const given = (isPlaceholderData ? undefined : data?.sentence) ?? commit?.approval?.sentence ?? '';
  const shown = commit === undefined ? newest : { ...commit, given };
  const changes = useQuery({
    ...releaseQueries.commitComparison(place, { commit: shown?.commit ?? '', moment }),
    enabled: shown !== undefined,
  });
  const unseen = shown !== undefined && changes.isPending ? t.waitUntilTheChangesAreShown : null;
  if (commit === undefined) return { chosen: undefined, shown, why: unseen };
  const unread = error === null ? t.checkingWhetherItCounts : t.couldNotCheckWhetherItCounts(messageOf(error));
  return { chosen: { commit: commit.commit, chart }, shown, why: (data === undefined ? unread : data.why) ?? unseen };
}

/** What an approval or a looser demand is about, as it was shown. Of a commit that somebody chose never another one. */
export function subjectOf(verb: ReleaseVerb, gate: GateView | null, chosen: Chosen | undefined): Partial<ReleaseDecisionRequest> {
  if (verb === 'approve' && chosen !== undefined)
    return chosen.chart === null ? {} : { commit: chosen.commit, seen: { chart: chosen.chart } };
  const archive = gate?.archive?.waiting;
  if (verb === 'approve' && archive) return { digest: archive.digest, seen: { chart: archive.revision } };
  if (verb === 'approve' && gate?.waiting) return { commit: gate.waiting.commit, seen: { chart: gate.waiting.chart } };
  return verb === 'loosen' && gate?.loosening ? { seen: { gate: gate.loosening } } : {};
}
