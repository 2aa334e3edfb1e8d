import { formatDeviations, withoutIgnored } from '../model/drift-policy';
import type { ReleaseAct } from '../ports';
import type { ExtendedDeps, Sync } from './sync';

/** Finds what differs in the cluster from the stored manifest, tells it, and puts it back where the resource wants that; answers what was put back (X-DRIFT-1 to 3). */
export async function syncDrift(
  { resource, draft }: Sync,
  act: ReleaseAct,
  { objects, resources }: Pick<ExtendedDeps, 'objects' | 'resources'>,
): Promise<string | undefined> {
  const policy = resource.spec.driftDetection;
  if (policy.wrong !== undefined) {
    draft.condition('Drifted', 'Unknown', { reason: 'InvalidMode', message: policy.wrong });
    return undefined;
  }
  if (policy.mode === 'disabled') {
    draft.dropCondition('Drifted');
    return undefined;
  }
  const deviations = withoutIgnored(await objects.findDrift(act), policy);
  if (deviations.length === 0) {
    draft.condition('Drifted', 'False', { reason: 'NoDrift', message: '' });
    return undefined;
  }
  const message = formatDeviations(deviations);
  const wasDrifted = draft.conditionStatus('Drifted') === 'True';
  draft.condition('Drifted', 'True', { reason: 'DriftDetected', message });
  if (!wasDrifted) await resources.recordEvent(resource.at, { type: 'Warning', reason: 'ReleaseDrifted', message });
  if (policy.mode === 'warn') return undefined;
  await objects.correctDrift(act, deviations);
  draft.condition('Drifted', 'False', { reason: 'DriftCorrected', message: '' });
  return message;
}
