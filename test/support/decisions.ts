import type { DecisionVerb } from '@/lib/contract/stage-decision';
import { STAGE_DECISION_API_VERSION } from '@/lib/contract/stage-decision';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { rolloutDigest } from '@/server/rollout';
import type { House } from './house';
import { toldOf } from './told';

interface Wanted {
  readonly stage?: number;
  readonly reason?: string;
  readonly user?: string;
  readonly seen?: { readonly rollout?: string; readonly garbage?: string; readonly policy?: string };
  readonly expiresAt?: string;
}

const LOOKS = 5;
const isOutdated = (settled: KubeObject) =>
  readString(settled, 'status', 'message')?.includes('has changed since it was reviewed') === true;

/**
 * Decides about a rollout as somebody would who sees it as it is now, unless told otherwise; answers the decision once it is settled.
 * Whoever is told that it has moved meanwhile looks again and decides anew, as the sentence asks.
 */
export async function decide(house: House, name: string, verb: DecisionVerb, wanted: Wanted = {}): Promise<KubeObject> {
  for (let look = 1; ; look++) {
    const settled = await decideOnce(house, name, verb, wanted);
    if (look === LOOKS || wanted.seen !== undefined || !isOutdated(settled)) return settled;
  }
}

async function decideOnce(house: House, name: string, verb: DecisionVerb, wanted: Wanted): Promise<KubeObject> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, name);
  if (rollout === undefined) throw new Error(`no rollout ${name}`);
  const user = wanted.user ?? 'ann';
  const made = await house.cluster.as({ user, groups: ['slipway:operators'] }).create({
    apiVersion: STAGE_DECISION_API_VERSION,
    kind: 'StageDecision',
    metadata: { generateName: `${name}-`, namespace: house.ns },
    spec: {
      rolloutRef: { name, uid: rollout.metadata.uid },
      verb,
      ...(verb === 'approve' || verb === 'advance' ? { stage: wanted.stage ?? toldOf(rollout).completedStages } : {}),
      revision: readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName'),
      reason: wanted.reason ?? 'a test decides',
      actor: { user, groups: ['slipway:operators'] },
      seen: { rollout: rolloutDigest(rollout), ...policySeen(rollout), ...wanted.seen },
      ...(wanted.expiresAt ? { expiresAt: wanted.expiresAt } : {}),
    },
  });
  let settled = made;
  await house.until(`the decision ${verb} is settled`, async () => {
    settled = (await house.get(KINDS.stageDecision, made.metadata.name ?? '')) ?? made;
    return (readString(settled, 'status', 'phase') ?? 'Pending') !== 'Pending';
  });
  return settled;
}

function policySeen(rollout: KubeObject): { readonly policy?: string } {
  const { loosening } = toldOf(rollout);
  return loosening === null ? {} : { policy: loosening.digest };
}
