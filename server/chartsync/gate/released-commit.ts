import { readString } from '@/lib/kube/fields';
import type { DeclaredRelease } from '../model/declared';
import { readMadeFrom } from '../model/made-from';
import type { HelmPort } from '../ports';

/**
 * The commit that a release is at: what Helm noted of the revision that is deployed, or where it noted none what the status tells of the last act. Undefined
 * where nothing is deployed, and where nobody knows.
 */
export async function readReleasedCommit(
  { release, status }: Pick<DeclaredRelease, 'release' | 'status'>,
  helm: Pick<HelmPort, 'readHistory' | 'readRevision'>,
): Promise<string | undefined> {
  const deployed = (await helm.readHistory(release)).findLast((entry) => entry.status === 'deployed');
  if (deployed === undefined) return undefined;
  return (await readMadeFrom(helm, release, deployed.revision)) ?? readString(status, 'lastAct', 'revision');
}
