import type { KubeObject } from '@/lib/kube/object';
import type { ResourceSelector } from '../selector';
import { selects, subjectOfEntry } from '../selector';
import type { TrackerEntry } from '../tracker/record';

/** What becomes of objects that a rule selects once the application has them no more. The first rule that selects wins. */
export interface GarbageRule {
  readonly selector: ResourceSelector;
  readonly strategy: 'never' | 'onAppUpdate' | 'onAppDelete';
  readonly propagation?: 'orphan' | 'cascading' | undefined;
}

/** How an application wants its garbage collected. */
export interface GarbagePolicy {
  /** Leave what older revisions had until the application goes. */
  readonly keepLegacyResource?: boolean | undefined;
  /** `dependency`: what was applied last goes first. */
  readonly order?: 'dependency' | undefined;
  readonly rules?: readonly GarbageRule[] | undefined;
}

/** The rule that decides about a recorded object. */
export function ruleFor(policy: GarbagePolicy | undefined, entry: TrackerEntry, live: KubeObject | undefined): GarbageRule | undefined {
  if (policy?.rules === undefined) return undefined;
  const subject = subjectOfEntry(entry, live);
  return policy.rules.find(({ selector }) => selects(selector, subject));
}

/** Why a recorded object stays although the application goes on without it; undefined when it goes. */
export function keptReason(
  policy: GarbagePolicy | undefined,
  rule: GarbageRule | undefined,
): 'never' | 'onAppDelete' | 'legacy' | undefined {
  if (rule !== undefined) return rule.strategy === 'onAppUpdate' ? undefined : rule.strategy;
  return policy?.keepLegacyResource ? 'legacy' : undefined;
}

/** What a policy does with a recorded object once the application has it no more, by what is recorded of it. */
export function outcomeByPolicy(
  policy: GarbagePolicy | undefined,
  entry: TrackerEntry,
): ReturnType<typeof keptReason> | 'goes' | 'orphan' | 'cascading' {
  const rule = ruleFor(policy, entry, undefined);
  return keptReason(policy, rule) ?? rule?.propagation ?? 'goes';
}
