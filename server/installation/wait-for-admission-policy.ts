import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import type { Cluster } from '@/server/kube';
import { getApiStatus } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';

const HEED_LIMIT_MS = 30_000;
const HEED_STEP_MS = 200;

const PROBE: KubeObject = { ...KINDS.application, metadata: { name: 'slipway-probe', namespace: 'default' }, spec: { components: [] } };

/**
 * Waits until applications are taken and whoever asks for them is noted. An API server looks for new definitions every five
 * seconds and answers 503 to what a mutating policy governs until then; a new policy is passed over for a moment before that.
 * Gives false when 30 s were not enough; any refusal of the dry run means that it cannot be told, and ends the waiting.
 */
export async function waitForAdmissionPolicy(deps: {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal?: AbortSignal;
}): Promise<boolean> {
  const { cluster, clock, log, signal } = deps;
  const end = clock.now() + HEED_LIMIT_MS;
  for (;;) {
    const answer = await cluster.create(PROBE, { dryRun: true, ...(signal ? { signal } : {}) }).then(isNoted, isRefused);
    if (answer) return true;
    if (clock.now() > end) {
      log.warn({}, 'the cluster does not record who requests an application; apply deploy/admission.yaml');
      return false;
    }
    await clock.sleep(HEED_STEP_MS, signal);
  }
}

const isNoted = (answer: KubeObject) => readAnnotatedUser(answer, REQUESTED_BY) !== undefined;

function isRefused(error: unknown): boolean {
  const code = getApiStatus(error)?.code;
  if (code === undefined) throw error;
  return code !== 503;
}
