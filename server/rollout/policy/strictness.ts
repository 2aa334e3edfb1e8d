import { z } from 'zod';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ControlInput, Looser } from './control-policy';
import { controlPolicy, resolvePolicy } from './control-policy';
import { rolloutPolicy } from './rollout-policy';

/** Terms as they are kept in status: whatever ratio was in force is read again. */
export const termsSchema = z.object({ ratio: z.number(), overlap: z.boolean().default(true), control: controlPolicy });

/** What a rollout is bound to: how much a stage moves, whether stages overlap, and what people decided beforehand. */
export interface RolloutTerms {
  readonly ratio: number;
  readonly overlap: boolean;
  readonly control: ControlInput;
}

/** A field of a policy, and which change of it lets more through. */
interface PolicyField {
  readonly path: readonly [string, ...string[]];
  readonly looser: Looser;
}

/** The fields in the order of the schema, each with the direction that the schema states. */
export const TERMS: readonly PolicyField[] = fieldsOf(rolloutPolicy.pick({ ratio: true, overlap: true, control: true }), []);

function fieldsOf(schema: z.ZodObject, above: readonly string[]): readonly PolicyField[] {
  return Object.entries(schema.shape).flatMap(([key, member]) => {
    const inner = member instanceof z.ZodOptional || member instanceof z.ZodDefault ? member.unwrap() : member;
    if (inner instanceof z.ZodObject) return fieldsOf(inner, [...above, key]);
    const [first = key, ...rest] = [...above, key];
    // What states no direction cannot be compared, and so counts as looser.
    return [
      { path: [first, ...rest], looser: (z.globalRegistry.get(member as z.ZodType)?.looser as Looser | undefined) ?? 'any' } as const,
    ];
  });
}

const nameOf = ({ path }: PolicyField) => path.join('.');
/** How long a gate waits. */
const PAUSE = ['control', 'pause'] as const;

/** True when terms ask people or name them. Where they do not, no others are looser. */
export function requiresApproval({ control }: RolloutTerms): boolean {
  const { approvals } = resolvePolicy(control);
  return !waitsNowhere({ control }) || approvals.required > 1 || approvals.groups.length > 0 || !approvals.allowSelf;
}

/** True where neither a stage nor the promotion at the end stops at a gate. */
function waitsNowhere({ control }: Pick<RolloutTerms, 'control'>): boolean {
  const { gates, autoPromotionEnabled } = resolvePolicy(control);
  return autoPromotionEnabled && (gates === 'none' || gates.length === 0);
}

/** Names of the fields in which terms let more through than those in force, such as `control.approvals.required`. */
export function loosenedFields(inForce: RolloutTerms, asked: RolloutTerms): readonly string[] {
  return looserFields(inForce, asked).map(nameOf);
}

/** The terms that are asked for with, in each field that is looser, what is in force; and the names of those fields. */
export function stricterOf(
  inForce: RolloutTerms,
  asked: RolloutTerms,
): { readonly terms: RolloutTerms; readonly loosened: readonly string[] } {
  const fields = looserFields(inForce, asked);
  // Whoever wants no gate says nothing of how long one waits: those that stay open by themselves as they did.
  const pause = waitsNowhere(asked) && !waitsNowhere(inForce) ? [PAUSE] : [];
  // Only values of the one are put in place of values of the other, each at its own path.
  const kept = [...fields.map(({ path }) => path), ...pause];
  const terms = kept.reduce<unknown>((held, path) => replaced(held, path, at(inForce, path)), asked) as RolloutTerms;
  return { terms, loosened: fields.map(nameOf) };
}

function looserFields(inForce: RolloutTerms, asked: RolloutTerms): readonly PolicyField[] {
  if (!requiresApproval(inForce)) return [];
  const [before, after] = [resolved(inForce), resolved(asked)];
  return TERMS.filter(({ path, looser }) => isLooser[looser](at(before, path), at(after, path)));
}

function resolved({ ratio, overlap, control }: RolloutTerms): unknown {
  return { ratio, overlap, control: resolvePolicy(control) };
}

function at(policy: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), policy);
}

/** A limit that is not there is the highest. */
const amount = (value: unknown) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);

/** Whether a value lets more through than the one before it. */
const isLooser: Readonly<Record<Looser, (before: unknown, after: unknown) => boolean>> = {
  neither: () => false,
  less: (before, after) => amount(after) < amount(before),
  more: (before, after) => amount(after) > amount(before),
  true: (before, after) => after === true && before === false,
  false: (before, after) => after === false && before === true,
  // Other gates than those in force cannot be compared with them.
  'fewer gates': (before, after) => {
    if (after === 'every-stage') return false;
    const kept = percentsOf(after);
    return before === 'every-stage' || percentsOf(before).some((percent) => !kept.includes(percent));
  },
  // Nobody is named where everybody may.
  'more groups': (before, after) => {
    const [were, are] = [listOf(before), listOf(after)];
    return were.length > 0 && (are.length === 0 || are.some((group) => !were.includes(group)));
  },
  any: (before, after) => !deepEqual(before, after),
};

function percentsOf(gates: unknown): readonly unknown[] {
  return listOf(gates).map((gate) => (isFields(gate) ? gate.atPercent : undefined));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Fields with another value at a path; undefined takes it out. */
function replaced(fields: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const { [key]: old, ...others } = isFields(fields) ? fields : {};
  const member = rest.length === 0 ? value : replaced(old, rest, value);
  return member === undefined ? others : { ...others, [key]: member };
}
