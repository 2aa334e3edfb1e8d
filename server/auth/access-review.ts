import { AppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { createAccessReviewer, listAll } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import type { Right } from './act';
import type { Session } from './session';

/** Which namespaces there are gives nobody a right. */
const NAMESPACES_KEPT_MS = 10_000;
const AT_ONCE = 16;

/** Asks the cluster what somebody may. Answers are kept for three seconds at most, and asked once however many wait; of some an instant says that older ones will not do. */
export interface AccessReviews {
  may(session: Session, right: Right, notBefore?: Instant): Promise<boolean>;
  /** The namespaces in which the session holds a right; the right itself names none. */
  namespacesWith(session: Session, right: Right, notBefore?: Instant): Promise<readonly string[]>;
}

/** Reviews over a cluster, with the server's own identity. */
export function createAccessReviews(cluster: Cluster, clock: Clock): AccessReviews {
  const review = createAccessReviewer(cluster, clock);
  const namespaces = memoizeFor<readonly string[]>(NAMESPACES_KEPT_MS, clock);
  const may = ({ user, groups, person }: Session, right: Right, notBefore?: Instant) =>
    review({ user, groups, uid: person.uid }, right, { notBefore });
  return {
    may,
    async namespacesWith(session, right, notBefore) {
      const known = await namespaces('', () => listNamespaces(cluster));
      const held: string[] = [];
      await inParallel(known, AT_ONCE, async (namespace) => {
        if (await may(session, { ...right, namespace }, notBefore)) held.push(namespace);
      });
      return held.sort();
    },
  };
}

async function listNamespaces(cluster: Cluster): Promise<readonly string[]> {
  try {
    return (await listAll(cluster, KINDS.namespace)).items.flatMap(({ metadata }) => metadata.name ?? []);
  } catch (error) {
    throw new AppError('unavailable', `the namespaces of the cluster could not be listed: ${messageOf(error)}`, { cause: error });
  }
}
