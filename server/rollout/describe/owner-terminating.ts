import type { RolloutDescription } from './description';

/** The description while the application that owns the rollout is being deleted: it goes on until it is gone, and nothing can be set back any more. */
export function whileOwnerTerminates(told: RolloutDescription, application: string): RolloutDescription {
  const { acts, waitsFor } = told;
  const clause = { message: { id: 'wait.application-goes', application }, met: false, evidence: null } as const;
  const why = { id: 'refused.application-goes', application } as const;
  const rollback = acts.rollback.allowed ? ({ ...acts.rollback, allowed: false, why, consequences: null } as const) : acts.rollback;
  return { ...told, acts: { ...acts, rollback }, waitsFor: { ...waitsFor, clauses: [...waitsFor.clauses, clause] } };
}
