import type { ChangeRow } from '@/lib/contract/change-rows';
import type { Contents } from './contents';

type Held = { readonly uid: string; readonly content: string } | undefined;

const isSame = (was: Held, is: Held) => was?.uid === is?.uid && was?.content === is?.content;

/** What is wrong with an object of a verdict; undefined where it is as the verdict says. */
const WRONG: Readonly<Partial<Record<ChangeRow['verdict'], (was: Held, is: Held) => string | undefined>>> = {
  new: (was, is) => (is !== undefined && was === undefined ? undefined : 'was to be made'),
  changed: (was, is) => (is !== undefined && is.uid === was?.uid && is.content !== was.content ? undefined : 'was to be changed'),
  deleted: (was, is) => (is === undefined || is.uid !== was?.uid ? undefined : 'was to go and is there'),
  gone: (_was, is) => (is === undefined ? undefined : 'was gone and is there'),
};

/** What holds of a plan as a whole. */
export interface PlanState {
  /** True where nothing of it is done: the cluster does not take it, or nothing was to be done. */
  readonly isRefused: boolean;
  /** True where its deletions wait for a decision. */
  readonly isHeld: boolean;
}

/** Why one object is not what its row said would become of it; undefined when it is. */
export function explain(row: ChangeRow | undefined, was: Held, is: Held, { isRefused, isHeld }: PlanState): string | undefined {
  if (isRefused || row === undefined)
    return isSame(was, is) ? undefined : `was touched, which the plan does not say (${row?.verdict ?? 'not listed'})`;
  if (row.verdict === 'deleted' && isHeld) return is?.uid === was?.uid ? undefined : 'was to wait for a decision and went';
  const wrong = WRONG[row.verdict];
  if (wrong !== undefined) return wrong(was, is);
  // A deployment that stays is moved on by its controllers.
  const stayed = row.kind === 'Deployment' ? is?.uid === was?.uid : isSame(was, is);
  return stayed ? undefined : `was ${row.verdict} and was touched`;
}

/** What is otherwise than before, a sentence each. */
export function differences(before: Contents, after: Contents): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) =>
    isSame(before.get(id), after.get(id)) ? [] : [`${id} was touched`],
  );
}

/** What went, a sentence each. */
export function losses(before: Contents, after: Contents): readonly string[] {
  return [...before].flatMap(([id, { uid }]) => (after.get(id)?.uid === uid ? [] : [`${id} went`]));
}
