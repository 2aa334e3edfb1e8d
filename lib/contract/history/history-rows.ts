import { z } from 'zod';
import { LONGEST, parseValues } from '../lists/list-query';
import { within } from '../lists/within';

/** How an attempt ended, or that it has not. */
export const ATTEMPT_OUTCOMES = ['completed', 'aborted', 'superseded', 'under-way'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One way of a rollout to a target, as it is on record. Lengths are in milliseconds. */
export const pastAttempt = z.object({
  key: z.string(),
  ns: z.string(),
  name: z.string(),
  kind: z.enum(['rollout', 'retry', 'rollback']),
  to: z.string().nullable(),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  /** Of a completed one: from the new revision, of a rollback from the decision, until all traffic goes to it. */
  leadMs: z.number().nullable(),
  /** How long gates were closed until the decisions that opened them; null where nobody was waited for. */
  waitedMs: z.number().nullable(),
  /** From the decision to abort or to roll back until all traffic was back. */
  backMs: z.number().nullable(),
});
export type PastAttempt = z.infer<typeof pastAttempt>;

/** What some attempts come to. Times are medians; null where there is none to tell from. */
export const historyFigures = z.object({
  started: z.number(),
  completed: z.number(),
  aborted: z.number(),
  superseded: z.number(),
  underWay: z.number(),
  leadMs: z.number().nullable(),
  waited: z.number(),
  waitedMs: z.number().nullable(),
  returned: z.number(),
  backMs: z.number().nullable(),
});
export type HistoryFigures = z.infer<typeof historyFigures>;

/** One week by its Monday, `2026-03-02`: the attempts that began in it, in UTC. */
export const historyWeek = z.object({ week: z.string(), figures: historyFigures });
export type HistoryWeek = z.infer<typeof historyWeek>;

/** Weeks that are told of, this one included. */
export const HISTORY_WEEKS = 8;

/** The last weeks of rollouts, and a page of what they are told from. */
export const rolloutHistory = z.object({
  /** The oldest first; a week in which nothing began is there too. */
  weeks: z.array(historyWeek),
  all: historyFigures,
  /** Since when the record was read: later than the first week where it has more than is read. */
  since: z.string(),
  isWhole: z.boolean(),
  total: z.number(),
  rows: z.array(pastAttempt),
  /** Where the reader may see some namespaces only: which. */
  within: within.optional(),
});
export type RolloutHistory = z.infer<typeof rolloutHistory>;

/** Which attempts are shown: of one outcome, those that waited for people, or those that went back. */
export const HISTORY_SHOWN = [...ATTEMPT_OUTCOMES, 'waited', 'returned'] as const;
export type HistoryShown = (typeof HISTORY_SHOWN)[number];
/** What they are ordered by. */
export const HISTORY_SORTS = ['started', 'lead', 'waited', 'back'] as const;

/** What part of the history is asked for, as the address has it. */
export const historyQuery = z.object({
  /** Namespaces parted by commas, any of which will do. */
  ns: z.string().max(LONGEST).transform(parseValues).optional(),
  q: z.string().max(200).optional(),
  week: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a Monday such as 2026-03-02')
    .optional(),
  show: z.enum(HISTORY_SHOWN).optional(),
  sort: z.enum(HISTORY_SORTS).optional(),
  page: z.coerce.number().int().min(0).max(1_000_000).optional(),
});
export type HistoryQuery = z.infer<typeof historyQuery>;

/** Attempts of one page. */
export const HISTORY_PAGE = 50;
