import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import type { GarbagePolicy, ManifestPolicy, ResourceSelector } from '@/server/dispatch';
import { selects, subjectOf } from '@/server/dispatch';
import { rolloutPolicy } from '@/server/rollout';
import type { Place } from './fault';
import { parseAt, refuse } from './fault';
import { policySchema } from './policy-schemas';

const names = z.array(z.string()).optional();
const selector = z.strictObject({
  componentNames: names,
  componentTypes: names,
  oamTypes: names,
  traitTypes: names,
  resourceTypes: names,
  resourceNames: names,
});
export const selected = z.strictObject({ rules: z.array(z.strictObject({ selector })).optional() });

export const garbageCollect = z.strictObject({
  applicationRevisionLimit: z.number().int().min(0).optional(),
  keepLegacyResource: z.boolean().default(false),
  continueOnFailure: z.boolean().default(false),
  order: z.literal('dependency').optional(),
  rules: z
    .array(
      z.strictObject({
        selector,
        strategy: z.enum(['never', 'onAppUpdate', 'onAppDelete']).default('onAppUpdate'),
        propagation: z.enum(['orphan', 'cascading']).optional(),
      }),
    )
    .optional(),
});

export const applyOnce = z.strictObject({
  enable: z.boolean().default(false),
  rules: z
    .array(
      z.strictObject({
        selector,
        strategy: z.strictObject({
          path: z.array(z.string().min(1)).min(1),
          affect: z.enum(['onUpdate', 'onStateKeep', 'always']).default('always'),
        }),
      }),
    )
    .optional(),
});

const WHAT = {
  rollout: 'a rollout policy',
  'garbage-collect': 'a garbage-collect policy',
  'apply-once': 'an apply-once policy',
  'take-over': 'a take-over policy',
  'read-only': 'a read-only policy',
} as const;
type PolicyType = keyof typeof WHAT;

/** The policies of an application, each with everything checked. Names are KubeVela's. */
export interface Policies {
  readonly rollout: { readonly place: Place; readonly parameters: z.infer<typeof rolloutPolicy> } | undefined;
  readonly garbage: z.infer<typeof garbageCollect> & GarbagePolicy;
  readonly applyOnce: z.infer<typeof applyOnce>;
  /** Objects that belong to no application yet and may be adopted. */
  readonly takeOver: readonly ResourceSelector[];
  /** Objects that are used as they are, and never written. */
  readonly readOnly: readonly ResourceSelector[];
}

/** Reads `spec.policies`; each type at most once. */
export function parsePolicies(policies: readonly unknown[], place: Place): Policies {
  const found = new Map<PolicyType, { readonly properties: unknown; readonly place: Place }>();
  policies.forEach((policy, at) => {
    const policyPlace = { ...place, path: ['spec', 'policies', at] };
    const { type, properties } = parseAt(policySchema, policy, policyPlace);
    if (!isPolicyType(type))
      throw refuse(
        { ...policyPlace, path: [...policyPlace.path, 'type'] },
        `must be one of ${Object.keys(WHAT).join(', ')}, found "${type}"`,
      );
    if (found.has(type))
      throw refuse(policyPlace, type === 'rollout' ? SECOND_ROLLOUT : `is a second ${type} policy; an application may have one`);
    found.set(type, {
      properties: properties ?? {},
      place: { ...policyPlace, path: [...policyPlace.path, 'properties'], what: WHAT[type] },
    });
  });
  const parse = <Schema extends z.ZodType>(type: PolicyType, schema: Schema): z.output<Schema> => {
    const held = found.get(type);
    return parseAt(schema, held?.properties ?? {}, held?.place ?? place);
  };
  const rollout = found.get('rollout');
  return {
    rollout: rollout && { place: rollout.place, parameters: parse('rollout', rolloutPolicy) },
    garbage: parse('garbage-collect', garbageCollect),
    applyOnce: parse('apply-once', applyOnce),
    takeOver: (parse('take-over', selected).rules ?? []).map((rule) => rule.selector),
    readOnly: (parse('read-only', selected).rules ?? []).map((rule) => rule.selector),
  };
}

const SECOND_ROLLOUT = 'is a second rollout policy; an application may have one';

function isPolicyType(type: string): type is PolicyType {
  return Object.hasOwn(WHAT, type);
}

/** True when a policy with these selectors is about the manifest. */
export function isAbout(selectors: readonly ResourceSelector[], manifest: KubeObject): boolean {
  const subject = subjectOf(manifest);
  return selectors.some((one) => selects(one, subject));
}

/** True when what is applied once is left alone as a whole. */
export function isAppliedOnce({ applyOnce: { enable, rules = [] } }: Policies): boolean {
  return enable && rules.length === 0;
}

/** What the policies say about one manifest, in a dispatch that brings something new (`onUpdate`) or looks after what is there. */
export function manifestPolicy(policies: Policies, manifest: KubeObject, occasion: 'onUpdate' | 'onStateKeep'): ManifestPolicy {
  const subject = subjectOf(manifest);
  const { enable, rules = [] } = policies.applyOnce;
  const once = enable ? rules.find((rule) => selects(rule.selector, subject)) : undefined;
  const applies = once !== undefined && (once.strategy.affect === 'always' || once.strategy.affect === occasion);
  const rule = policies.garbage.rules?.find((one) => selects(one.selector, subject));
  return {
    readOnly: policies.readOnly.some((one) => selects(one, subject)),
    skipGC: rule?.strategy === 'never',
    ...(applies ? { keep: once.strategy.path } : {}),
  };
}
