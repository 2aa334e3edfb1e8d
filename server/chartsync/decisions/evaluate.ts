import type { ReleaseDecisionSpec, ReleaseVerb } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { DeclaredRelease } from '../model/declared';
import { awaitsUninstall, isPulled } from '../model/declared';
import type { RevisionEntry } from '../model/release';
import type { Hold } from './hold';

/** What every decision about a release depends on. */
export interface DecisionContext {
  readonly resource: DeclaredRelease;
  readonly hold: Hold | undefined;
  readonly gate: KeptGate | undefined;
  /** What Helm stored of the newest revision. */
  readonly stored: string | undefined;
  /** How many revisions Helm stored; absent where nobody may tell, and where the one that is asked for is looked up. */
  readonly revisions?: number | undefined;
  /** Whether Helm works on it now; unknown where another replica would know. */
  readonly isAtWork: boolean | 'unknown';
  /** The resource that has the release where it is another one, in words. */
  readonly holder: string | undefined;
}

/** Why a verb is not possible now; null where it is. What a page offers and what the engine answers is judged here. */
export function refusalReason(verb: ReleaseVerb, circumstances: DecisionContext): ReleaseMessage | null {
  const { holder, resource } = circumstances;
  if (awaitsUninstall(resource) && verb !== 'cancel') return { id: 'act.deleted' };
  return holder === undefined ? OBSTACLES[verb](circumstances) : { id: 'upgrade.refused', by: holder };
}

const OBSTACLES: Readonly<Record<ReleaseVerb, (circumstances: DecisionContext) => ReleaseMessage | null>> = {
  sync({ resource, hold }) {
    if (hold !== undefined) return { id: 'act.held', by: hold.by };
    return resource.profile === 'extended' && resource.spec.suspend ? { id: 'upgrade.suspended' } : null;
  },
  approve({ gate, resource }) {
    if (gate === undefined) return { id: 'act.not-gated' };
    if (isPulled(resource)) return gate.archive?.waiting == null ? { id: 'act.no-archive-waits' } : null;
    return gate.waiting == null && gate.lost == null ? { id: 'act.nothing-waits' } : null;
  },
  rollback({ revisions, stored, isAtWork }) {
    if (revisions !== undefined && revisions <= 1) return { id: 'act.no-earlier-revision' };
    // What Helm is doing may end, and the decision waits for that.
    return isAtWork === false && stored?.startsWith('pending') ? { id: 'state.pending', stored, why: null } : null;
  },
  hold: ({ hold }) => (hold === undefined ? null : { id: 'act.held', by: hold.by }),
  lift: ({ hold }) => (hold === undefined ? { id: 'act.not-held' } : null),
  cancel: ({ isAtWork }) => (isAtWork === false ? { id: 'act.nothing-under-way' } : null),
  unlock({ isAtWork, stored }) {
    if (isAtWork === true) return { id: 'act.under-way' };
    return stored?.startsWith('pending') ? null : { id: 'act.not-pending', stored: stored ?? null };
  },
  loosen: ({ gate }) => (gate?.wanted == null ? { id: 'act.nothing-looser' } : null),
};

interface Before extends Pick<DecisionContext, 'resource' | 'stored' | 'gate'> {
  readonly work: { readonly isWaiting: boolean } | undefined;
  /** The ServiceAccount that Helm runs as; null where it is the server. */
  readonly account: string | null;
}

/** What an act of a person would do, a message each. */
export function consequencesOf(verb: ReleaseVerb, { resource, stored, gate, work, account }: Before): readonly ReleaseMessage[] {
  if (verb === 'cancel' && work?.isWaiting === true) return [{ id: 'does.cancel-waiting' }];
  if (verb === 'sync' && stored === 'failed' && resource.profile === 'extended') return [{ id: 'does.sync' }, { id: 'does.sync-failed' }];
  if (verb === 'rollback')
    return [{ id: 'does.rollback', account, namespace: resource.at.namespace ?? '' }, { id: 'does.holds' }, { id: 'does.deletion' }];
  if (verb === 'lift') return [liftMessage(resource, gate)];
  const ids = verb === 'approve' && isPulled(resource) ? APPROVES_ARCHIVE : CONSEQUENCES[verb];
  return ids.map((id) => ({ id }));
}

/** A commit wants an approval from the first on; of archives the one that the resource was changed to wants none. */
function liftMessage(resource: DeclaredRelease, gate: KeptGate | undefined): ReleaseMessage {
  const to = isPulled(resource) ? 'archive' : 'commit';
  const { current, waiting } = gate?.archive ?? {};
  const [isApproved, isBarred] = to === 'archive' ? [current != null, waiting != null] : [gate?.approved != null, gate !== undefined];
  return isBarred && !isApproved ? { id: 'does.lift-gated', to } : { id: 'does.lift', to, isGated: isApproved };
}

const APPROVES_ARCHIVE = ['does.approve-archive', 'does.approve-archive-keeps'] as const satisfies readonly ReleaseMessage['id'][];

const CONSEQUENCES = {
  sync: ['does.sync', 'does.sync-upgrades'],
  hold: ['does.holds', 'does.deletion'],
  approve: ['does.approve', 'does.approve-keeps', 'does.approve-forward'],
  loosen: ['does.loosen'],
  cancel: ['does.cancel', 'does.cancel-leaves', 'does.cancel-then'],
  unlock: ['does.unlock', 'does.unlock-then'],
} as const satisfies Readonly<Record<Exclude<ReleaseVerb, 'rollback' | 'lift'>, readonly ReleaseMessage['id'][]>>;

interface Seen extends DecisionContext {
  readonly uid: string;
  /** Of a rollback: what Helm stored, oldest first. */
  readonly history: readonly RevisionEntry[];
}

/** What becomes of a decision. */
export type Evaluation = { readonly phase: 'Accepted' | 'Rejected' | 'Expired'; readonly says: ReleaseMessage };

/** Judges a decision on what there is now: it counts for the resource that was seen, until it expires, while what was seen still holds. */
export function evaluate(spec: ReleaseDecisionSpec, seen: Seen, now: Instant): Evaluation {
  const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
  if (spec.releaseRef.uid !== seen.uid) return reject({ id: 'decided.another' });
  if (isExpired(spec, now)) return { phase: 'Expired', says: { id: 'decided.expired' } };
  const why = refusalReason(spec.verb, seen);
  if (why !== null) return reject(why);
  if (spec.verb === 'lift' && spec.seen?.hold !== seen.hold?.decision) return reject({ id: 'decided.hold-moved', by: seen.hold?.by ?? '' });
  if (spec.verb === 'rollback') return evaluateRollback(spec, seen);
  if (spec.verb === 'unlock') return evaluateUnlock(spec, seen);
  if (spec.verb === 'approve') return { phase: 'Accepted', says: approvedMessage(spec) };
  return { phase: 'Accepted', says: { id: `decided.${spec.verb}` } };
}

/** That an approval counts. */
export function approvedMessage({ commit = '', digest }: Pick<ReleaseDecisionSpec, 'commit' | 'digest'>): ReleaseMessage {
  return digest === undefined ? { id: 'decided.approve', commit } : { id: 'decided.approve-archive', digest };
}

/** Whether a decision counts no more. */
export function isExpired({ expiresAt }: Pick<ReleaseDecisionSpec, 'expiresAt'>, now: Instant): boolean {
  const expires = parseInstant(expiresAt);
  return expires !== undefined && expires <= now;
}

function evaluateUnlock({ seen: shown }: ReleaseDecisionSpec, { history }: Seen): Evaluation {
  const newest = history.at(-1)?.revision ?? 0;
  if (shown?.stored === newest) return { phase: 'Accepted', says: { id: 'decided.unlock', revision: newest } };
  return { phase: 'Rejected', says: { id: 'decided.stored-moved', seen: shown?.stored ?? null, newest } };
}

function evaluateRollback({ revision, seen: shown }: ReleaseDecisionSpec, { history }: Seen): Evaluation {
  const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
  const newest = history.at(-1);
  if (newest === undefined || !history.some((entry) => entry.revision === revision))
    return reject({ id: 'decided.no-revision', revision: revision ?? 0 });
  if (shown?.stored !== newest.revision)
    return reject({ id: 'decided.stored-moved', seen: shown?.stored ?? null, newest: newest.revision });
  if (newest.status.startsWith('pending')) return reject({ id: 'state.pending', stored: newest.status, why: null });
  if (newest.revision === revision && newest.status === 'deployed') return reject({ id: 'decided.already-there', revision });
  return { phase: 'Accepted', says: { id: 'decided.rollback', revision: revision ?? 0 } };
}
