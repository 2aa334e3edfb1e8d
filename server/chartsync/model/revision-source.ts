import type { ReleaseRef, StoredRevision } from './release';

/** What an install or an upgrade is made from. */
export interface RevisionSource {
  /** The commit or chart version. */
  readonly revision: string;
  /** The digest of the chart with its dependencies; absent where nobody could tell. */
  readonly chart?: string;
  /** The generation of the resource. */
  readonly generation: number;
}

/** What Helm says of a revision that it went back to. */
const WENT_BACK = /^Rollback to ([1-9]\d*)$/;
/** Whether Helm describes a revision as one that it went back to. */
export function isRollbackDescription(description: string): boolean {
  return WENT_BACK.test(description);
}

/** What chart sync has Helm note of a revision: the digest of the chart, and the commit or version that it was taken from. */
const MADE_FROM = /^chart-tree [0-9a-f]{40} at ([\w.+-]+)$/;

/** What Helm is to note of a revision: the digest by which chart sync knows the chart again (R-1B-8), and where the chart was taken from. */
export function toRevisionDescription(tree: string, revision: string): string {
  const note = `${tree} at ${revision}`;
  return MADE_FROM.test(note) ? note : tree;
}

/** The commit or chart version that Helm is to note of a revision, or noted; undefined where that says none. */
function madeFromIn(description: string): string | undefined {
  return MADE_FROM.exec(description)?.[1];
}

/**
 * The commit or chart version that a stored revision was made from, by what Helm noted of it; of one that went back to another, that of the other. Undefined
 * where Helm does not tell: it was made by hand, failed, or what it went back to is gone.
 */
export async function readRevisionSource(
  helm: { readRevision(release: ReleaseRef, revision: number): Promise<Pick<StoredRevision, 'description'>> },
  release: ReleaseRef,
  revision: number,
): Promise<string | undefined> {
  for (let at = revision; ; ) {
    const { description = '' } = await helm.readRevision(release, at);
    const madeFrom = madeFromIn(description);
    const back = Number(WENT_BACK.exec(description)?.[1] ?? at);
    if (madeFrom !== undefined || back >= at) return madeFrom;
    at = back;
  }
}
