import { readConditions } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { toKubeTime } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import { DRIFT_DETECTION } from '../../model/drift-policy';
import type { ReleaseDescription, ReleaseObservation } from '../description';
import { lastComparison, notComparedReason, waitForApproval, waitOf } from './not-compared';

/** What was found last, and since when and why nobody has compared; `why` is null while somebody does. */
interface Found {
  readonly state: string | undefined;
  readonly message: string;
  readonly at: string | null;
  readonly why: ReleaseMessage | null;
}

/** How the live objects of a release stand to what Helm stored, or stood when that was compared last. */
export function driftOf(seen: ReleaseObservation): ReleaseDescription['drift'] {
  const { resource } = seen;
  if (resource.profile === 'base') {
    return resource.annotations[DRIFT_DETECTION] === 'disabled' ? unknown({ id: 'drift.turned-off' }) : toDrift(foundOfBase(seen));
  }
  const { mode, wrong } = resource.spec.driftDetection;
  if (wrong !== undefined) return unknown({ id: 'drift.wrong', why: wrong });
  if (mode === 'disabled') return unknown({ id: 'drift.disabled' });
  const drifted = readConditions(resource).find(({ type }) => type === 'Drifted');
  if (drifted === undefined) return unknown({ id: 'drift.not-compared' });
  const last = lastComparison(seen);
  const at = last === undefined ? (drifted.lastTransitionTime ?? null) : toKubeTime(last.at);
  return toDrift({ state: drifted.status === 'True' ? 'drifted' : 'none', message: drifted.message ?? '', at, why: notLookedFor(seen) });
}

/** What this process found, or else what the one that looks wrote down. It is looked for beside the loops, so a repository that is not there keeps nobody from it. */
function foundOfBase(seen: ReleaseObservation): Found {
  const {
    drift,
    loops,
    standing,
    resource: { status },
  } = seen;
  const isFollowed = standing === null && loops.kind !== 'waiting';
  const why = isFollowed ? null : waitOf(seen);
  if (drift !== undefined) return { state: drift.state, message: drift.message, at: toKubeTime(drift.at), why };
  const [state, message, at] = ['state', 'message', 'at'].map((member) => readString(status, 'drift', member));
  const isElsewhere = loops.kind === 'elsewhere'; // the replica that acts writes what it finds
  return { state, message: message ?? '', at: at ?? null, why: why ?? (isElsewhere ? null : { id: 'upgrade.not-looked-at' }) };
}

/** Why nobody looks for drift of a release of the later kinds, which is a part of its sync; null where it is looked for. */
function notLookedFor(seen: ReleaseObservation): ReleaseMessage | null {
  const { resource, hold } = seen;
  const gated = waitOf(seen) === null ? waitForApproval(seen) : undefined;
  if (gated !== undefined) return { id: 'upgrade.gated', ...gated };
  const why = notComparedReason(seen);
  if (why !== undefined) return why;
  if (resource.profile === 'extended' && resource.spec.suspend) return { id: 'upgrade.suspended' };
  return hold === undefined ? null : { id: 'upgrade.held', by: hold.by };
}

function toDrift({ state, message, at, why }: Found): ReleaseDescription['drift'] {
  if (state === 'none') return why === null ? { state, says: { id: 'drift.none' } } : unknown({ id: 'drift.was-none', at, why });
  if (state === 'drifted')
    return { state, says: why === null ? { id: 'drift.found', why: message } : { id: 'drift.was-found', found: message, at, why } };
  return unknown(state === undefined ? { id: 'drift.not-compared' } : { id: 'drift.unknown', why: message });
}

const unknown = (says: ReleaseMessage): ReleaseDescription['drift'] => ({ state: 'unknown', says });
