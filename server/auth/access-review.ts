import { AppError, messageOf } from '@/lib/contract/app-error';
import { readBoolean } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { toStableJson } from '@/lib/std/stable-json';
import type { Cluster } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { Right } from './act';
import type { Session } from './session';

const KEPT_MS = 10_000;
const MOST_KEPT = 20_000;
const AT_ONCE = 16;

/** Asks the cluster what somebody may. Answers are kept for ten seconds at most, and asked once however many wait. */
export interface AccessReviews {
  may(session: Session, right: Right): Promise<boolean>;
  /** The namespaces in which the session holds a right; the right itself names none. */
  namespacesWith(session: Session, right: Right): Promise<readonly string[]>;
}

/** Reviews over a cluster, with the server's own identity. */
export function createAccessReviews(cluster: Cluster, clock: Clock): AccessReviews {
  const answers = keptFor<boolean>(clock);
  const namespaces = keptFor<readonly string[]>(clock);
  const may = (session: Session, right: Right) =>
    answers(toStableJson([session.user, session.groups, session.person.uid, right]), () => review(cluster, session, right));
  return {
    may,
    async namespacesWith(session, right) {
      const known = await namespaces('', () => listNamespaces(cluster));
      const held: string[] = [];
      for (let from = 0; from < known.length; from += AT_ONCE) {
        const some = known.slice(from, from + AT_ONCE);
        const allowed = await Promise.all(some.map((namespace) => may(session, { ...right, namespace })));
        held.push(...some.filter((_, at) => allowed[at]));
      }
      return held.sort();
    },
  };
}

/** Keeps answers from the moment they were asked for; failures are not kept. */
function keptFor<Answer>(clock: Clock): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Answer> }>();
  return (key, ask) => {
    const held = kept.get(key);
    if (held !== undefined && held.until > clock.now()) return held.answer;
    if (kept.size >= MOST_KEPT) kept.clear();
    const entry = { until: clock.now() + KEPT_MS, answer: ask() };
    kept.set(key, entry);
    entry.answer.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return entry.answer;
  };
}

async function review(cluster: Cluster, session: Session, right: Right): Promise<boolean> {
  const spec = {
    user: session.user,
    // Every request that is authenticated bears this group; without it rights given to everybody would be missed.
    groups: [...new Set([...session.groups, 'system:authenticated'])],
    ...(session.person.uid === undefined ? {} : { uid: session.person.uid }),
    resourceAttributes: right,
  };
  try {
    const answer = await cluster.create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec });
    return readBoolean(answer, 'status', 'allowed') === true;
  } catch (error) {
    throw new AppError('unavailable', `the cluster could not be asked what ${session.user} may do: ${messageOf(error)}`, { cause: error });
  }
}

async function listNamespaces(cluster: Cluster): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const page of cluster.list(KINDS.namespace)) names.push(...page.items.flatMap((item) => item.metadata.name ?? []));
  } catch (error) {
    throw new AppError('unavailable', `the namespaces of the cluster could not be listed: ${messageOf(error)}`, { cause: error });
  }
  return names;
}
