import { z } from 'zod';
import { namedObject } from './named-object';

/** What becomes of one object, what is lost or refused first. */
export const CHANGE_VERDICTS = ['refused', 'deleted', 'held', 'changed', 'new', 'handed-over', 'kept', 'gone', 'unknown'] as const;
export type ChangeVerdict = (typeof CHANGE_VERDICTS)[number];

/** A line of a difference of two texts. */
export const diffLine = z.object({ sign: z.enum([' ', '+', '-', '…']), text: z.string() });

/** One object of a change: what becomes of it, why, what goes with it, and how it differs where it does. */
export const changeRow = namedObject.extend({
  uid: z.string().nullable(),
  verdict: z.enum(CHANGE_VERDICTS),
  why: z.string(),
  blast: z.array(z.string()),
  /** Without the values of Secrets; null where nothing differs. */
  diff: z.array(diffLine).nullable(),
  /** Set where whoever looks may not see the object: it counts, and its name and content are not told. */
  masked: z.literal(true).optional(),
});
export type ChangeRow = z.infer<typeof changeRow>;

/** Counts over everything that a change touches, whatever part of it is shown. */
export const changeCounts = z.object({
  counts: z.partialRecord(z.enum(CHANGE_VERDICTS), z.number()),
  kinds: z.array(z.object({ kind: z.string(), count: z.number() })),
});
export type ChangeCounts = z.infer<typeof changeCounts>;

/** What saving an application would do; nothing is changed. */
export const savePreview = changeCounts.extend({
  revision: z.object({ name: z.string(), isNew: z.boolean() }),
  changes: z.array(changeRow),
  /** Why the whole would not be done as it stands. */
  refused: z.string().nullable(),
  /** That the application is suspended, so that nothing of it is done before it is resumed; absent where it is not. */
  suspended: z.string().optional(),
  /** What the server may not do yet, and who gives it that by which command: nothing is written before. Absent where it may do all of it. */
  ungranted: z.string().optional(),
  /** Which labels and annotations do not reach the objects, and why; absent where all do. */
  withheld: z.string().optional(),
  /** Which part of the rollout policy is not in force before people have decided it; absent where all is. */
  looser: z.string().optional(),
  /** Why the gates of the rollout policy could never be opened, or probably not; absent where they can. */
  unmeetable: z.string().optional(),
  /** Whom the rollout policy keeps from approving, where that is a service account; absent where it is nobody or a person. */
  selfApproval: z.string().optional(),
  /** Digest of the plan: sent along with the change, so that exactly this is done. */
  plan: z.string(),
  /** The state of the application that it was worked out on; absent where there was none yet. */
  base: z.object({ uid: z.string(), generation: z.number() }).optional(),
});
export type SavePreview = z.infer<typeof savePreview>;

/** The digest of a plan alone, by which plans are compared and kept: without what is told behind it of what the plan was made for. */
export function bareDigest(plan: string): string {
  return plan.split('.', 1)[0] ?? '';
}

/** A change that waits, since what it would do is not what was seen: both plans. */
export const movedPlan = z.object({
  /** What was seen; without its preview where that is not kept any more. */
  seen: z.object({ plan: z.string(), by: z.string().nullable(), at: z.string().nullable(), preview: savePreview.nullable() }),
  /** What it would do now. */
  now: savePreview,
});
export type OutdatedPlan = z.infer<typeof movedPlan>;

/** What somebody else changed since a plan was seen, as the refusal of a change that rests on it tells. */
export const conflictingChange = z.object({ by: z.string().nullable(), generation: z.number(), lines: z.array(diffLine) });
export type ConflictingChange = z.infer<typeof conflictingChange>;

/** One page of a comparison of two revisions. */
export const comparePage = changeCounts.extend({ from: z.string(), to: z.string(), total: z.number(), rows: z.array(changeRow) });
export type ComparePage = z.infer<typeof comparePage>;

/** One page of what waits to be collected, and what a decision about it has to name. */
export const waitingPage = changeCounts.extend({
  from: z.array(z.string()),
  to: z.string().nullable(),
  digest: z.string(),
  refused: z.string().nullable(),
  total: z.number(),
  rows: z.array(changeRow),
  /** Held objects by name and how many go in all, as an approval of exactly this plan states them. */
  decision: z.object({ objects: z.array(z.string()), count: z.number() }),
  /** Kinds of what such an approval lets go. */
  going: changeCounts.shape.kinds,
});
export type WaitingPage = z.infer<typeof waitingPage>;

/** One thing that is wrong with a written manifest, and where it stands; lines and columns count from 1. */
export const writtenProblem = z.object({
  sentence: z.string(),
  line: z.number(),
  column: z.number(),
  endLine: z.number(),
  endColumn: z.number(),
});
export type WrittenProblem = z.infer<typeof writtenProblem>;

/** An application as people edit it, and which state of it that is; `masked` where it hides values that saving could not keep. */
export const writtenApplication = z.object({ text: z.string(), masked: z.boolean(), uid: z.string(), generation: z.number() });
export type WrittenApplication = z.infer<typeof writtenApplication>;

export const CHANGE_PAGE_SIZE = 50;

/** Which part of a change is asked for. */
export interface ChangeFilter {
  readonly verdict?: ChangeVerdict | undefined;
  readonly kind?: string | undefined;
  readonly q?: string | undefined;
}

/** True for a row that is asked for. */
function isAskedFor(row: Pick<ChangeRow, 'id' | 'kind' | 'verdict'>, { verdict, kind, q }: ChangeFilter): boolean {
  if (verdict !== undefined && row.verdict !== verdict) return false;
  if (kind !== undefined && row.kind !== kind) return false;
  return q === undefined || row.id.toLowerCase().includes(q.toLowerCase());
}

/** Counts by verdict and by kind, kinds in the order of their names. */
export function countChanges(rows: readonly Pick<ChangeRow, 'kind' | 'verdict'>[]): ChangeCounts {
  const counts: Partial<Record<ChangeVerdict, number>> = {};
  const kinds = new Map<string, number>();
  for (const { kind, verdict } of rows) {
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return { counts, kinds: [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => ({ kind, count })) };
}

/** Rows with what is lost or refused first, each verdict by name. */
export function inChangeOrder<Row extends Pick<ChangeRow, 'id' | 'verdict'>>(rows: readonly Row[]): readonly Row[] {
  const order = (row: Row) => CHANGE_VERDICTS.indexOf(row.verdict);
  return rows.toSorted((a, b) => order(a) - order(b) || (a.id < b.id ? -1 : 1));
}

/** One page of the rows that are asked for, where all of them are at hand. */
export function pageChanges<Row extends Pick<ChangeRow, 'id' | 'kind' | 'verdict'>>(
  rows: readonly Row[],
  query: ChangeFilter & { readonly page?: number | undefined },
): { readonly rows: readonly Row[]; readonly total: number } {
  const wanted = inChangeOrder(rows.filter((row) => isAskedFor(row, query)));
  const start = (query.page ?? 0) * CHANGE_PAGE_SIZE;
  return { rows: wanted.slice(start, start + CHANGE_PAGE_SIZE), total: wanted.length };
}
