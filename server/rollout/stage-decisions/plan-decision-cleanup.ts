import { readField, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';

/** So many decisions about one rollout or application stay, the newest: as many as its page shows. */
export const MAX_KEPT = 50;
/** So long an answer stays in any case, for whoever waits for it. */
export const ANSWER_KEPT_MS = 3_600_000;

/** What a decision is about. */
export interface Subject {
  readonly kind: 'rollout' | 'application';
  readonly uid: string;
}

export interface DecisionCleanup {
  /** Decisions that may go, the oldest first. */
  readonly due: readonly KubeObject[];
  /** In how long another one may. */
  readonly nextMs: number | undefined;
}

/**
 * Which answered decisions may go. Who has approved, what is held and where a rollout may go back to stands in its status; decisions are judged once.
 *
 * 1. One that nobody has answered stays.
 * 2. So does one whose answer is younger than an hour.
 * 3. While what it is about is there, the newest 50 stay, and of those that a collection rests on the newest 50 besides.
 */
export function planDecisionCleanup(
  decisions: readonly KubeObject[],
  isThere: (subject: Subject) => boolean,
  now: Instant,
): DecisionCleanup {
  const due: KubeObject[] = [];
  let nextMs: number | undefined;
  for (const group of bySubject(decisions).values()) {
    const newest = [...group].sort((left, right) => (orderOf(left) < orderOf(right) ? 1 : -1));
    const kept = new Set([...newest.slice(0, MAX_KEPT), ...newest.filter(bears).slice(0, MAX_KEPT)]);
    const subject = subjectOf(newest[0]);
    const goes = subject !== undefined && isThere(subject) ? newest.filter((one) => !kept.has(one)) : newest;
    for (const decision of goes.filter(isAnswered)) {
      const leftMs = answeredAt(decision) + ANSWER_KEPT_MS - now;
      if (leftMs > 0) nextMs = Math.min(nextMs ?? leftMs, leftMs);
      else due.push(decision);
    }
  }
  return { due: due.sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1)), nextMs };
}

function bySubject(decisions: readonly KubeObject[]): ReadonlyMap<string, readonly KubeObject[]> {
  const groups = new Map<string, KubeObject[]>();
  for (const decision of decisions) {
    const { kind, uid } = subjectOf(decision) ?? { kind: '', uid: '' };
    const group = groups.get(`${kind} ${uid}`);
    if (group === undefined) groups.set(`${kind} ${uid}`, [decision]);
    else group.push(decision);
  }
  return groups;
}

function subjectOf(decision: KubeObject | undefined): Subject | undefined {
  const rollout = readString(decision, 'spec', 'rolloutRef', 'uid');
  if (rollout !== undefined) return { kind: 'rollout', uid: rollout };
  const application = readString(decision, 'spec', 'applicationRef', 'uid');
  return application === undefined ? undefined : { kind: 'application', uid: application };
}

function isAnswered(decision: KubeObject): boolean {
  const phase = readString(decision, 'status', 'phase') ?? 'Pending';
  return phase !== 'Pending' && decision.metadata.deletionTimestamp === undefined;
}

/** True for an accepted decision by which deletions may go: it counts as long as these wait. */
function bears(decision: KubeObject): boolean {
  if (readString(decision, 'status', 'phase') !== 'Accepted') return false;
  return subjectOf(decision)?.kind === 'application' || readField(decision, 'spec', 'garbage') !== undefined;
}

const answeredAt = (decision: KubeObject): number =>
  parseInstant(readString(decision, 'status', 'at')) ?? parseInstant(decision.metadata.creationTimestamp) ?? Number.POSITIVE_INFINITY;

const orderOf = ({ metadata: { creationTimestamp = '', name = '' } }: KubeObject) => `${creationTimestamp} ${name}`;
