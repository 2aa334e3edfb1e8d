import { AppError, messageOf } from '@/lib/contract/app-error';
import { readBoolean } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toStableJson } from '@/lib/std/stable-json';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import type { Cluster } from './cluster';

const KEPT_MS = 3000;

/** One right of Kubernetes. Namespace absent means all of them, or a kind that has none. */
export interface AccessRight {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Set of a kind whose objects have no namespace, so that sentences say so; no reviewer is asked about it. */
  readonly isClusterScoped?: true;
}

/** Where a right to a kind is held: in one namespace or in all, or, where its objects have none, in the cluster. */
export function placeOfRight(
  { namespaced }: { readonly namespaced: boolean },
  namespace: string | undefined,
): Pick<AccessRight, 'namespace' | 'isClusterScoped'> {
  if (!namespaced) return { isClusterScoped: true };
  return namespace === undefined ? {} : { namespace };
}

/** Whom a review is about. */
export interface AccessSubject {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
}

/** How a review is asked, where it matters. */
export interface ReviewOptions {
  /** Another connection. */
  readonly through?: Pick<Cluster, 'create'>;
  /** No answer that was asked for before this will do. */
  readonly notBefore?: Instant | undefined;
}

/** Asks whether somebody holds a right. Answers are kept for three seconds at most, and asked once however many wait. */
export type AccessReviewer = (subject: AccessSubject, right: AccessRight, options?: ReviewOptions) => Promise<boolean>;

/** Reviews over a cluster, with the server's own identity. */
export function createAccessReviewer(cluster: Pick<Cluster, 'create'>, clock: Clock): AccessReviewer {
  const answers = memoizeFor<boolean>(KEPT_MS, clock);
  return (subject, right, { through = cluster, notBefore } = {}) => {
    const asked = toAttributes(right);
    return answers(toStableJson([subject.user, subject.groups, subject.uid, asked]), () => review(through, subject, asked), notBefore);
  };
}

const toAttributes = ({ isClusterScoped: _, ...attributes }: AccessRight) => attributes;

async function review(cluster: Pick<Cluster, 'create'>, { user, groups, uid }: AccessSubject, right: object): Promise<boolean> {
  const spec = {
    user,
    // Every request that is authenticated bears this group; without it rights given to everybody would be missed.
    groups: [...new Set([...groups, 'system:authenticated'])],
    ...(uid === undefined ? {} : { uid }),
    resourceAttributes: right,
  };
  try {
    const answer = await cluster.create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec });
    return readBoolean(answer, 'status', 'allowed') === true;
  } catch (error) {
    throw new AppError('unavailable', `the cluster could not be asked what ${user} may do: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether the server itself holds a right. */
export async function reviewOwn(cluster: Pick<Cluster, 'create'>, right: AccessRight): Promise<boolean> {
  const asked = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: toAttributes(right) },
  };
  return readBoolean(await cluster.create(asked), 'status', 'allowed') === true;
}

/** How sentences name a right. */
export function describeRight({ verb, group, resource, subresource, namespace, name, isClusterScoped }: AccessRight): string {
  const what = `${resource}${subresource === undefined ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
  const where = isClusterScoped ? '(cluster-scoped)' : 'in all namespaces';
  return `"${verb}" on ${what} ${namespace === undefined ? where : `in namespace ${namespace}`}`;
}
