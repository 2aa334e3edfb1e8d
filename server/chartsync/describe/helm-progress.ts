import type { ReleaseState } from '@/lib/contract/release-state';
import { toIso } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { releaseKey } from '../model/release';
import { waitOf } from './comparing/not-compared';
import type { ReleaseObservation } from './description';

/** That what Helm is to do to a release waits for its turn, and behind which others: those of its own namespace are named. */
export function queuedMessage({ work, running, resource }: ReleaseObservation): ReleaseMessage | undefined {
  if (work?.isWaiting !== true || work.purpose === 'dry-run') return undefined;
  const named = running.filter(({ release: { namespace } }) => namespace === resource.release.namespace);
  return {
    id: 'state.turn',
    command: work.command,
    behind: named.map(({ release, command, since }) => ({ release: releaseKey(release), command, since: toIso(since) })),
    others: running.length - named.length,
  };
}

/** That a release is being changed, as its status or Helm's storage has it. Whether Helm runs only the process that started it knows: another one tells what was reported. */
export function changingOf(
  seen: ReleaseObservation,
  reported: Extract<ReleaseMessage, { readonly id: 'state.reported' }>['reported'],
): readonly [ReleaseState, ReleaseMessage] {
  const { work, loops } = seen;
  if (loops.kind !== 'elsewhere' && work?.purpose === 'change' && work.until === null)
    return ['changing', { id: 'state.changing', phase: reported.text }];
  const why = waitOf(seen);
  if (work !== undefined && why === null && isReconcileUnfinished(seen))
    return ['changing', { id: 'state.changing', phase: reported.text, ended: work.command }];
  return [why === null ? 'changing' : 'unknown', { id: 'state.reported', reported, isElsewhere: loops.kind === 'elsewhere', why }];
}

/** Whether Helm has changed the release and the look that had it do so is not over: marks, tests and the status come after it. */
function isReconcileUnfinished({ work, loops, reconciles: [newest] }: ReleaseObservation): boolean {
  if (loops.kind === 'elsewhere' || work?.purpose !== 'change' || work.until === null) return false;
  return newest === undefined || newest.at < work.until;
}
