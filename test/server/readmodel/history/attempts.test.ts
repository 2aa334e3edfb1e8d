import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import { toAttempts } from '@/server/readmodel/history/attempts';
import { toNote } from '@/server/readmodel/history/notes';

const SECOND = 1000;
let count = 0;

/** An entry so many seconds after the beginning. */
function entry(seconds: number, action: string, rest: Partial<RecordEntry> = {}): RecordEntry {
  const about = { ...KINDS.rolloutOrchestrator, namespace: 'shop', name: 'web' };
  const data = action.startsWith('decision.') ? { phase: 'Accepted' } : {};
  return { id: `entry-${count++}`, at: toInstant(seconds * SECOND), actor: 'ann', action, about, message: '', data, ...rest };
}
const started = (seconds: number, to: string) => entry(seconds, 'rollout.started', { id: `rollout.started:uid:${to}` });
const made = (seconds: number, name: string) =>
  entry(seconds, 'revision.created', { about: { ...KINDS.applicationRevision, namespace: 'shop', name } });
const attempts = (...entries: readonly RecordEntry[]) => toAttempts(entries.flatMap((one) => toNote(one) ?? []));

describe('rollouts as they are on record', () => {
  it('[issue 14.2] have a lead time from the revision until all traffic goes to it', () => {
    const [one] = attempts(made(0, 'web-v2'), started(3, 'web-v2'), entry(20, 'stage.completed'), entry(63, 'rollout.completed'));
    expect(one).toMatchObject({ to: 'web-v2', kind: 'rollout', outcome: 'completed', leadMs: 63_000, waitedMs: null, backMs: null });
  });

  it('[issue 14.2] of an application whose revision was made longer ago than is read count from their start', () => {
    const [one] = attempts(started(3, 'web-v2'), entry(63, 'rollout.completed'));
    expect(one?.leadMs).toBe(60_000);
  });

  it('[issue 14.2] waited for people from the end of each stage until the last decision that opened its gate', () => {
    const [one] = attempts(
      started(0, 'web-v2'),
      entry(10, 'stage.completed'),
      entry(30, 'decision.approve'),
      entry(45, 'decision.approve'),
      entry(60, 'stage.completed'),
      entry(70, 'decision.promote-full'),
      entry(90, 'rollout.completed'),
    );
    expect(one?.waitedMs).toBe(45_000);
  });

  it('[issue 14.2] wait for nobody whose decision came to nothing', () => {
    const rejected = entry(30, 'decision.approve', { data: { phase: 'Rejected' } });
    expect(attempts(started(0, 'web-v2'), entry(10, 'stage.completed'), rejected)[0]).toMatchObject({
      outcome: 'under-way',
      waitedMs: null,
    });
  });

  it('[issue 14.2] that are aborted take so long to go back as lies between the decision and the end of the way back', () => {
    const way = [started(0, 'web-v2'), entry(10, 'stage.completed')];
    const [byPerson] = attempts(...way, entry(20, 'decision.abort'), entry(52, 'rollout.reverted'));
    expect(byPerson).toMatchObject({ outcome: 'aborted', backMs: 32_000, leadMs: null });
    const [byEngine] = attempts(...way, entry(20, 'rollout.aborted'));
    expect(byEngine).toMatchObject({ outcome: 'aborted', backMs: null });
  });

  it('[issue 14.2] that a newer target replaces are superseded, and the newer one is an attempt of its own', () => {
    const found = attempts(started(0, 'web-v2'), started(30, 'web-v3'), entry(60, 'rollout.completed'));
    expect(found.map(({ to, outcome }) => `${to} ${outcome}`)).toEqual(['web-v2 superseded', 'web-v3 completed']);
  });

  it('[issue 14.2] that are retried go to the same revision once more, from the decision on', () => {
    const found = attempts(
      started(0, 'web-v2'),
      entry(10, 'decision.abort'),
      entry(20, 'rollout.reverted'),
      entry(100, 'decision.retry'),
      entry(130, 'rollout.completed'),
    );
    expect(found.map(({ kind, to, outcome, leadMs }) => [kind, to, outcome, leadMs])).toEqual([
      ['rollout', 'web-v2', 'aborted', null],
      ['retry', 'web-v2', 'completed', 30_000],
    ]);
  });

  it('[issue 14.2] that roll back take so long as lies between the decision and all traffic at the former revision', () => {
    const found = attempts(
      started(0, 'web-v2'),
      entry(50, 'rollout.completed'),
      entry(100, 'decision.rollback'),
      started(102, 'web-v1'),
      entry(140, 'rollout.completed'),
    );
    expect(found[1]).toMatchObject({ kind: 'rollback', to: 'web-v1', leadMs: 40_000, backMs: 40_000 });
  });

  it('[issue 14.2] are told apart by rollout, and what is on record about other things is nothing', () => {
    const other = { ...KINDS.rolloutOrchestrator, namespace: 'pay', name: 'web' };
    const noise = [
      entry(5, 'garbage.planned'),
      entry(6, 'decision.abort', { about: { ...KINDS.stageDecision, namespace: 'shop', name: 'web' } }),
    ];
    const found = attempts(started(0, 'web-v2'), ...noise, entry(9, 'rollout.completed', { about: other }));
    expect(found.map(({ outcome }) => outcome)).toEqual(['under-way']);
  });

  it('[issue 14.2] of a rollout without an application name their target too', () => {
    expect(attempts(entry(0, 'rollout.started', { id: 'uid/web-00002/3/started' }))[0]?.to).toBe('web-00002');
  });
});
