import type { Finding } from '@/lib/contract/finding';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { isNoMatch, isNotFound } from '@/server/kube';
import type { Clock, Log } from '@/server/platform';
import { supervise } from '@/server/platform';

/**
 * Why nobody may decide: without these objects anybody with the right to create decisions could make one in another's name.
 * Null once all of them are there; a cluster that cannot be asked counts as one where they are missing.
 */
async function findMissingAdmission(objects: readonly KubeObject[], cluster: Cluster): Promise<string | null> {
  for (const object of objects) {
    const name = describeObject({ kind: object.kind, name: object.metadata.name });
    try {
      await cluster.get(toAddress(object));
    } catch (error) {
      const why = isNotFound(error) ? 'is missing' : 'cannot be read';
      return `decisions are refused while ${name} ${why}: nothing else ties a decision to the person who makes it`;
    }
  }
  return null;
}

/** Policies of the deployment that a cluster does not have, one by one. */
export async function findMissingPolicies(objects: readonly KubeObject[], cluster: Cluster): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const object of objects) {
    const subject = describeObject({ kind: object.kind, name: object.metadata.name });
    try {
      await cluster.get(toAddress(object));
    } catch (error) {
      const unserved = isNoMatch(error);
      const why = unserved ? `the cluster serves no ${object.kind}` : isNotFound(error) ? `${subject} is missing` : `${subject} cannot be read`;
      const effect = isNote(object)
        ? 'who asks for a change is not noted, and what it may hold goes by --unattributed'
        : 'decisions are refused, since nothing else ties one to the person who makes it';
      findings.push({ area: 'policies', subject, sentence: `${why}: ${effect}`, mend: unserved ? null : APPLY_POLICIES });
    }
  }
  return findings;
}

/** The command that brings the policies of the deployment. */
export const APPLY_POLICIES = 'kubectl apply -f deploy/admission.yaml';
const isNote = ({ kind }: KubeObject) => kind.startsWith('MutatingAdmissionPolicy');

const LOOK_EVERY_MS = 15_000;

/** Keeps an eye on what ties decisions to people, and answers why nobody may decide while it is missing. */
export async function watchAdmission(
  admission: readonly KubeObject[],
  deps: { readonly cluster: Cluster; readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<() => string | null> {
  // What writes notes may be missing, as on clusters before 1.36; what checks them may not.
  const objects = admission.filter((object) => !isNote(object));
  let barred = await findMissingAdmission(objects, deps.cluster);
  void supervise(
    'admission watch',
    async (signal) => {
      while (!signal.aborted) {
        await deps.clock.sleep(LOOK_EVERY_MS, signal);
        barred = await findMissingAdmission(objects, deps.cluster);
      }
    },
    deps,
  );
  return () => barred;
}
