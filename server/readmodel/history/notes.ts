import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import { toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';

/** The acts on record that tell how rollouts went. */
export const HISTORY_ACTIONS = [
  'revision.created',
  'rollout.started',
  'rollout.completed',
  'rollout.aborted',
  'rollout.reverted',
  'stage.completed',
  'decision.approve',
  'decision.advance',
  'decision.promote-full',
  'decision.abort',
  'decision.retry',
  'decision.rollback',
] as const;

/** What an entry says of a rollout. `opened` are decisions that go past a gate. */
export type NoteKind = 'revision' | 'started' | 'stage' | 'completed' | 'aborted' | 'reverted' | 'opened' | 'retry' | 'rollback';

const KIND_OF: Readonly<Record<(typeof HISTORY_ACTIONS)[number], NoteKind>> = {
  'revision.created': 'revision',
  'rollout.started': 'started',
  'rollout.completed': 'completed',
  'rollout.aborted': 'aborted',
  'rollout.reverted': 'reverted',
  'stage.completed': 'stage',
  'decision.approve': 'opened',
  'decision.advance': 'opened',
  'decision.promote-full': 'opened',
  'decision.abort': 'aborted',
  'decision.retry': 'retry',
  'decision.rollback': 'rollback',
};

/** As much of an entry as is kept: thousands are. */
export interface Note {
  readonly id: string;
  readonly at: Instant;
  readonly kind: NoteKind;
  /** Of a revision its own key, of all else that of the rollout. */
  readonly about: string;
  /** The revision that a start goes to, where the entry tells. */
  readonly to: string | undefined;
}

/** Reads an entry; undefined where it tells nothing of a rollout, a decision that came to nothing among them. */
export function toNote({ id, at, action, about, data }: RecordEntry): Note | undefined {
  const kind = isTold(action) ? KIND_OF[action] : undefined;
  if (kind === undefined) return undefined;
  if (about.kind !== (kind === 'revision' ? KINDS.applicationRevision.kind : KINDS.rolloutOrchestrator.kind)) return undefined;
  if (action.startsWith('decision.') && data?.phase !== 'Accepted') return undefined;
  return { id, at, kind, about: toObjectKey(about), to: kind === 'started' ? targetOf(id) : undefined };
}

function isTold(action: string): action is (typeof HISTORY_ACTIONS)[number] {
  return Object.hasOwn(KIND_OF, action);
}

/** An application notes `rollout.started:UID:TARGET`, a rollout without one `UID/TARGET/GENERATION/started`. */
function targetOf(id: string): string | undefined {
  return id.startsWith('rollout.started:') ? id.split(':')[2] : id.split('/')[1];
}
