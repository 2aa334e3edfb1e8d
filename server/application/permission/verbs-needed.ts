import type { KubeObject } from '@/lib/kube/object';
import type { Policies } from '../spec/policies';
import { isAbout, isAppliedOnce, manifestPolicy } from '../spec/policies';

/** Something that is written on somebody's behalf, by the rights that it needs. */
export interface Written {
  readonly object: KubeObject;
  readonly verbs: readonly string[];
  /** What is done in a word of ours, where it is not the verb. */
  readonly deed?: 'take over';
}

/** A manifest under the policies of a change, and what was permitted of it before; undefined for one that was not there. */
interface Wish {
  readonly manifest: KubeObject;
  readonly policies: Policies;
  /** True where a revision is made: then what is applied once is applied once more. */
  readonly isNew: boolean;
  readonly isSame: boolean;
  readonly past: { readonly manifest: KubeObject; readonly policies: Policies } | undefined;
}

const OCCASIONS = ['onUpdate', 'onStateKeep'] as const;

/** Which verbs a manifest needs now and did not before. */
export function verbsNeeded(wish: Wish): readonly Written[] {
  const { manifest: object, policies, past } = wish;
  // What is used as it is nobody writes; whether it is there and how it fares is told, though.
  if (isAbout(policies.readOnly, object)) return past === undefined ? [{ object, verbs: ['get'] }] : [];
  if (past === undefined || isAbout(past.policies.readOnly, past.manifest)) return [{ object, verbs: ['create', 'patch'] }];
  if (isWrittenAnew(wish, past.policies)) return [{ object, verbs: ['create', 'patch'] }];
  if (!wish.isSame || writesMore(wish, past)) return [{ object, verbs: ['patch'] }];
  const takesOver = isAbout(policies.takeOver, object) && !isAbout(past.policies.takeOver, past.manifest);
  return takesOver ? [{ object, verbs: ['patch'], deed: 'take over' }] : [];
}

/** What was left alone once it was applied is written, and made where it is gone, by a policy that leaves it no longer and by a new revision. */
function isWrittenAnew({ policies, isNew }: Wish, before: Policies): boolean {
  return isAppliedOnce(before) && (isNew || !isAppliedOnce(policies));
}

/** True where a field that was left as it was found is written from now on. */
function writesMore({ manifest, policies, isNew }: Wish, past: NonNullable<Wish['past']>): boolean {
  const kept = (from: Policies, of: KubeObject, occasion: (typeof OCCASIONS)[number]) => manifestPolicy(from, of, occasion).keep ?? [];
  const lost = OCCASIONS.some((occasion) => lacks(kept(policies, manifest, occasion), kept(past.policies, past.manifest, occasion)));
  return lost || (isNew && lacks(kept(policies, manifest, 'onUpdate'), kept(past.policies, past.manifest, 'onStateKeep')));
}

const lacks = (now: readonly string[], before: readonly string[]) => before.some((path) => !now.includes(path));
