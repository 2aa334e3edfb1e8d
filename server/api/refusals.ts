import type { AppError } from '@/lib/contract/app-error';
import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import { sessionOf } from '@/lib/contract/sessions/session-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { ObjectAddress } from '@/lib/kube/object';
import type { Act, Session } from '@/server/auth';
import { toAppError } from '@/server/commands';
import type { Clock, Ids, Log } from '@/server/platform';

/** Codes that say no to somebody; the others say that a request was none, or that nothing could be told. */
const REFUSALS: readonly AppError['code'][] = ['forbidden', 'rejected', 'conflict', 'stale'];
/** One refusal that a person runs into again and again is one entry for so long. */
const SAME_FOR_MS = 10_000;
const MAX_REMEMBERED = 5000;

export interface RefusalDeps {
  /** Puts an entry on record. */
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** Puts on record that a person wanted to do something and was refused. */
export type RecordRefusal = (session: Session, act: Act, thrown: unknown) => void;

/** Refusals of acts, each an entry of its own. Nobody waits for it: they are refused whether it can be written or not. */
export function createRefusals({ record, clock, ids, log }: RefusalDeps): RecordRefusal {
  const noted = new Map<string, number>();
  return ({ user }, act, thrown) => {
    const error = toAppError(thrown);
    const about = subjectOf(act);
    if (about === undefined || !REFUSALS.includes(error.code)) return;
    const action = `${actionOf(act)}.refused`;
    const now = clock.now();
    const key = JSON.stringify([user, action, about, error.message]);
    if (now - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_FOR_MS) return;
    if (noted.size >= MAX_REMEMBERED) noted.clear();
    noted.set(key, now);
    record({ id: ids.uuid(), at: now, actor: user, action, about, message: error.message, data: { code: error.code } }).catch(
      (failure: unknown) => log.warn({ user, action, error: messageOf(failure) }, 'a refusal could not be recorded'),
    );
  };
}

/** What an act that changes something is done to; undefined for those that only look. */
function subjectOf(act: Act): ObjectAddress | undefined {
  switch (act.kind) {
    case 'decide':
      return { ...(act.on === 'rollout' ? KINDS.rolloutOrchestrator : KINDS.application), namespace: act.ns, name: act.name };
    case 'decide-release':
    case 'change-release':
    case 'delete-release':
      return { ...RELEASE_TYPES[act.of], namespace: act.ns, name: act.name };
    case 'change-application':
    case 'create-application':
    case 'delete-application':
      return { ...KINDS.application, namespace: act.ns, name: act.name };
    case 'end-session':
      return sessionOf(act.user);
    case 'act-on-object':
      return { ...act.type, ...(act.ns === undefined ? {} : { namespace: act.ns }), name: act.name };
    default:
      return undefined;
  }
}

function actionOf(act: Act): string {
  if (act.kind === 'decide' || act.kind === 'decide-release') return `decision.${act.verb}`;
  if (act.kind === 'act-on-object') return `object.${act.verb}`;
  const [verb = '', object = ''] = act.kind.split('-');
  return `${object}.${verb}`;
}
