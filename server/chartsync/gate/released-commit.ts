import { readNumber, readString } from '@/lib/kube/fields';
import type { DeclaredRelease } from '../model/declared';
import { readRevisionSource } from '../model/revision-source';
import type { HelmPort } from '../ports';

/** Whether a stored revision came after the last act that the status tells, which so says nothing of it: by hand, or by a process that died before it could tell. */
export function isAfterLastAct({ status }: Pick<DeclaredRelease, 'status'>, revision: number): boolean {
  const told = readNumber(status, 'lastAct', 'storedRevision');
  return told !== undefined && revision > told;
}

/**
 * The commit that a release is at: what Helm noted of the revision that is deployed, or where it noted none what the status tells of the last act, if that is
 * of this revision. Undefined where nothing is deployed, and where nobody knows.
 */
export async function readReleasedCommit(
  { release, status }: Pick<DeclaredRelease, 'release' | 'status'>,
  helm: Pick<HelmPort, 'readHistory' | 'readRevision'>,
): Promise<string | undefined> {
  return (await readReleased({ release, status }, helm)).commit;
}

/** The same, and whether anything is deployed at all. */
export async function readReleased(
  { release, status }: Pick<DeclaredRelease, 'release' | 'status'>,
  helm: Pick<HelmPort, 'readHistory' | 'readRevision'>,
): Promise<{ readonly isDeployed: boolean; readonly commit: string | undefined }> {
  const deployed = (await helm.readHistory(release)).findLast((entry) => entry.status === 'deployed');
  if (deployed === undefined) return { isDeployed: false, commit: undefined };
  const told = isAfterLastAct({ status }, deployed.revision) ? undefined : readString(status, 'lastAct', 'revision');
  return { isDeployed: true, commit: (await readRevisionSource(helm, release, deployed.revision)) ?? told };
}
