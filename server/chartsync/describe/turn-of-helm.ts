import { toIso } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { releaseKey } from '../model/release';
import type { ReleaseObservation } from './description';

/** That what Helm is to do to a release waits for its turn, and behind which others: those of its own namespace are named. */
export function turnOf({ work, running, resource }: ReleaseObservation): ReleaseMessage | undefined {
  if (work?.isWaiting !== true || work.purpose === 'look') return undefined;
  const named = running.filter(({ release: { namespace } }) => namespace === resource.release.namespace);
  return {
    id: 'state.turn',
    command: work.command,
    behind: named.map(({ release, command, since }) => ({ release: releaseKey(release), command, since: toIso(since) })),
    others: running.length - named.length,
  };
}
