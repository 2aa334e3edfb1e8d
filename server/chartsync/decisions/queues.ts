import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { UNINSTALL_VERB } from '@/lib/contract/release-decision';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/**
 * Which decisions wait for each other.
 *
 * 1. What stops something is answered whatever else is under way.
 * 2. What Helm carries out before it has ended lasts as long as Helm does, and so does what must be alone on the release.
 * 3. The others are answered at once, one after the other: each approval counts those before it.
 */
export type DecisionQueue = 'plain' | 'lasting' | 'stop';

const QUEUES: Readonly<Record<ReleaseVerb | typeof UNINSTALL_VERB, DecisionQueue>> = {
  approve: 'plain',
  loosen: 'plain',
  sync: 'plain',
  lift: 'plain',
  rollback: 'lasting',
  unlock: 'lasting',
  [UNINSTALL_VERB]: 'lasting',
  hold: 'stop',
  cancel: 'stop',
};

/** The queue that a decision stands in; what cannot be read is refused in that of the others. */
export function queueOf(decision: KubeObject): DecisionQueue {
  const verb = readString(decision, 'spec', 'verb') ?? '';
  return Object.hasOwn(QUEUES, verb) ? QUEUES[verb as keyof typeof QUEUES] : 'plain'; // one of its own keys
}
