import type { StatusPolicy } from '@/lib/contract/health';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { ComputeOptions, PartialRule, RuleMap } from './compute';
import { computeUntil } from './compute';
import { ComputeError, current } from './result';

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const PROVISIONERS = ['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'];

interface PolicyRule {
  readonly kind: string;
  readonly rule: PartialRule;
}

/** What a policy decides says so in its message. */
const POLICIES: Readonly<Record<StatusPolicy, PolicyRule>> = {
  'await-first-consumer': {
    kind: 'PersistentVolumeClaim',
    rule: (object) => (awaitsConsumer(object) ? current(said('await-first-consumer', 'PVC waits for its first consumer')) : undefined),
  },
};

/** The rules of policies. */
export function policyRules(policies: readonly StatusPolicy[]): RuleMap {
  return new Map(policies.map((name) => [POLICIES[name].kind, toRule(name)]));
}

function toRule(name: StatusPolicy): PartialRule {
  return (...seen) => {
    const told = POLICIES[name].rule(...seen);
    return told && { ...told, rule: `policy ${name}` };
  };
}

/** When the passage of time alone changes the status of an object; undefined when it never does. */
export function statusValidUntil(object: KubeObject, now: Instant, options: ComputeOptions): Instant | undefined {
  const ends: Instant[] = [];
  try {
    computeUntil(object, now, options, (at) => ends.push(at));
  } catch (error) {
    if (!(error instanceof ComputeError)) throw error; // what cannot be told now will not be told later either
  }
  const coming = ends.filter((end) => end > now);
  return coming.length === 0 ? undefined : toInstant(Math.min(...coming));
}

function said(policy: StatusPolicy, sentence: string): string {
  return `${sentence} (policy ${policy})`;
}

/**
 * A pending claim of a storage class that nobody provisions yet, although no node was chosen for it: what a claim looks like whose
 * class binds with the first consumer. One that binds at once is given its provisioner right after it is made.
 */
function awaitsConsumer(claim: KubeObject): boolean {
  if (readString(claim, 'status', 'phase') !== 'Pending' || readString(claim, 'spec', 'volumeName')) return false;
  if (!readString(claim, 'spec', 'storageClassName')) return false;
  const { annotations = {} } = claim.metadata;
  return annotations[SELECTED_NODE] === undefined && PROVISIONERS.every((name) => annotations[name] === undefined);
}
