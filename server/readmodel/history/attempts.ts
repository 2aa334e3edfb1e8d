import type { PastAttempt } from '@/lib/contract/history/history-rows';
import type { ObjectKey } from '@/lib/kube/object';
import { parseObjectKey, toObjectKey } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { revisionOfWorkload } from '../applications/revision-state';
import type { Note } from './notes';

/** An attempt in the making. */
interface Draft {
  readonly id: string;
  readonly kind: PastAttempt['kind'];
  readonly to: string | undefined;
  readonly startedAt: Instant;
  /** When it was asked for: its revision was made, or somebody decided it. */
  readonly askedAt: Instant;
  outcome: PastAttempt['outcome'];
  endedAt?: Instant;
  abortedAt?: Instant;
  returnedAt?: Instant;
  /** When the stage before ended, at which a gate may be. */
  boundaryAt: Instant;
  waitedMs?: number;
}

/** A rollout while its entries are read. */
interface Course {
  readonly attempts: Draft[];
  /** A rollback that was decided and has not begun. */
  rollbackAt?: Instant;
}

/** How rollouts went, by what is on record of each, in the order of time. */
export function toAttempts(notes: readonly Note[]): readonly PastAttempt[] {
  const courses = new Map<ObjectKey, Course>();
  const revisions = new Map<ObjectKey, Instant>();
  for (const note of notes) {
    if (note.kind === 'revision') {
      revisions.set(note.about, note.at);
      continue;
    }
    const course = courses.get(note.about) ?? { attempts: [] };
    courses.set(note.about, course);
    take(course, note, revisions);
  }
  return [...courses].flatMap(([key, { attempts }]) => attempts.map((attempt) => toPastAttempt(key, attempt)));
}

function take(course: Course, note: Note, revisions: ReadonlyMap<ObjectKey, Instant>): void {
  const { attempts } = course;
  const last = attempts.at(-1);
  const open = last?.outcome === 'under-way' ? last : undefined;
  switch (note.kind) {
    case 'started':
      begin(course, note, revisions);
      return;
    case 'retry':
      attempts.push(toDraft(note, { kind: 'retry', to: last?.to, askedAt: note.at }));
      return;
    case 'rollback':
      course.rollbackAt = note.at;
      return;
    case 'stage':
      if (open !== undefined) open.boundaryAt = note.at;
      return;
    case 'opened':
      if (open === undefined) return;
      open.waitedMs = (open.waitedMs ?? 0) + Math.max(0, note.at - open.boundaryAt);
      open.boundaryAt = note.at; // of several who are needed each waits for the next
      return;
    case 'completed':
      if (open !== undefined) end(open, 'completed', note.at);
      return;
    case 'aborted':
      if (open === undefined) return;
      open.abortedAt = note.at;
      end(open, 'aborted', note.at);
      return;
    case 'reverted':
      if (last?.outcome !== 'aborted' || last.returnedAt !== undefined) return;
      last.returnedAt = note.at;
      last.endedAt = note.at;
      return;
    case 'revision':
      return;
  }
}

function begin(course: Course, note: Note, revisions: ReadonlyMap<ObjectKey, Instant>): void {
  const last = course.attempts.at(-1);
  // Each start is noted by the application; the engine of one without an application notes it itself.
  if (last?.outcome === 'under-way') end(last, 'superseded', note.at);
  const { rollbackAt } = course;
  const madeAt = revisions.get(revisionKeyOf(note));
  const askedAt = rollbackAt ?? (madeAt !== undefined && madeAt <= note.at ? madeAt : note.at);
  course.attempts.push(toDraft(note, { kind: rollbackAt === undefined ? 'rollout' : 'rollback', to: note.to, askedAt }));
  delete course.rollbackAt;
}

function revisionKeyOf({ about, to = '' }: Note): ObjectKey {
  const { namespace, name } = parseObjectKey(about);
  const revision = revisionOfWorkload(name, to);
  return revision === undefined ? '' : toObjectKey({ namespace, name: revision });
}

function toDraft({ id, at }: Note, known: Pick<Draft, 'kind' | 'to' | 'askedAt'>): Draft {
  return { id, ...known, startedAt: at, outcome: 'under-way', boundaryAt: at };
}

function end(attempt: Draft, outcome: Draft['outcome'], at: Instant): void {
  attempt.outcome = outcome;
  attempt.endedAt = at;
}

function toPastAttempt(
  key: ObjectKey,
  { id, kind, to, startedAt, askedAt, outcome, endedAt, abortedAt, returnedAt, waitedMs }: Draft,
): PastAttempt {
  const { namespace = '', name } = parseObjectKey(key);
  const isCompleted = outcome === 'completed' && endedAt !== undefined;
  const wentBack = kind === 'rollback' && isCompleted ? endedAt - askedAt : undefined;
  const returned = abortedAt !== undefined && returnedAt !== undefined ? returnedAt - abortedAt : undefined;
  return {
    ...{ key: id, ns: namespace, name, kind, to: to ?? null, outcome },
    startedAt: toIso(startedAt),
    endedAt: endedAt === undefined ? null : toIso(endedAt),
    leadMs: isCompleted ? endedAt - askedAt : null,
    waitedMs: waitedMs ?? null,
    backMs: returned ?? wentBack ?? null,
  };
}
