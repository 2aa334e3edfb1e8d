import { AppError, messageOf } from '@/lib/contract/app-error';
import { readBoolean, readList } from '@/lib/kube/fields';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import type { AccessRight } from './access-review';
import { reviewOwn } from './access-review';
import type { Cluster } from './cluster';

/** Rights on kinds of objects, or, where names are told, on those objects alone. */
export interface RightsRule {
  readonly names: readonly string[];
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

/** What the server may do in one place. An authoriser that cannot list what it allows may allow more than it lists. */
export interface HeldRights {
  readonly rules: readonly RightsRule[];
  readonly isIncomplete: boolean;
}

/** What the server itself may do, asked by few questions however many objects there are. */
export interface OwnRights {
  /** The rights, of these, that the server does not hold. */
  lacks(rights: readonly AccessRight[]): Promise<readonly AccessRight[]>;
}

/** Rights that a role binding gives in one namespace are none everywhere: a namespace that is not there has only those of the whole cluster. */
const NO_NAMESPACE = 'slipway-doctor';
/** A grant that comes, or goes, is noticed after so long at the latest. */
const KEPT_MS = 15_000;
const AUTHORIZATION = 'authorization.k8s.io/v1';

/** Asks what the server may do everywhere, and only where that is not enough what it may do in a namespace: one request each, kept for a while. */
export function createOwnRights(cluster: Pick<Cluster, 'create'>, clock: Clock): OwnRights {
  const places = memoizeFor<HeldRights>(KEPT_MS, clock);
  const reviews = memoizeFor<boolean>(KEPT_MS, clock);
  const heldIn = (namespace: string) => places(namespace, () => asSentence(readHeldRights(cluster, namespace)));

  async function holds(right: AccessRight): Promise<boolean> {
    const everywhere = await heldIn(NO_NAMESPACE);
    if (givesRight(everywhere.rules, right)) return true;
    const here = right.namespace === undefined ? everywhere : await heldIn(right.namespace);
    if (givesRight(here.rules, right)) return true;
    const { verb, group, namespace = '', name = '' } = right;
    return (
      here.isIncomplete &&
      reviews(`${verb} ${group} ${resourceOf(right)} ${namespace} ${name}`, () => asSentence(reviewOwn(cluster, right)))
    );
  }

  return {
    async lacks(rights) {
      const lacking: AccessRight[] = [];
      for (const right of rights) if (!(await holds(right))) lacking.push(right);
      return lacking;
    },
  };
}

/** What the server may do in a namespace, or, where none is named, in all of them. One request. */
export async function readHeldRights(
  cluster: Pick<Cluster, 'create'>,
  namespace = NO_NAMESPACE,
  signal?: AbortSignal,
): Promise<HeldRights> {
  const review = { apiVersion: AUTHORIZATION, kind: 'SelfSubjectRulesReview', metadata: {}, spec: { namespace } };
  const answer = await cluster.create(review, signal ? { signal } : {});
  return {
    rules: readList(answer, 'status', 'resourceRules').map(toRightsRule),
    isIncomplete: readBoolean(answer, 'status', 'incomplete') === true,
  };
}

/** A rule of a role, or of a review. */
export function toRightsRule(rule: unknown): RightsRule {
  const texts = (member: string) => readList(rule, member).filter((text): text is string => typeof text === 'string');
  return { names: texts('resourceNames'), verbs: texts('verbs'), groups: texts('apiGroups'), resources: texts('resources') };
}

/** Whether one of these rules gives a right, wherever they hold. */
export function givesRight(rules: readonly RightsRule[], { verb, group, name, ...of }: Omit<AccessRight, 'namespace'>): boolean {
  const resource = resourceOf(of);
  return rules.some(
    ({ names, verbs, groups, resources }) =>
      (names.length === 0 || (name !== undefined && names.includes(name))) &&
      includes(verbs, verb) &&
      includes(groups, group) &&
      (includes(resources, resource) || isSubresourceOf(resources, resource)),
  );
}

/** As rules name it: with its subresource, where it is about one. */
const resourceOf = ({ resource, subresource }: Pick<AccessRight, 'resource' | 'subresource'>) =>
  subresource === undefined ? resource : `${resource}/${subresource}`;
const includes = (list: readonly string[], word: string) => list.includes(word) || list.includes('*');
/** `*` before a subresource stands for every resource. */
const isSubresourceOf = (resources: readonly string[], resource: string) =>
  resource.includes('/') && resources.includes(`*/${resource.split('/')[1]}`);

async function asSentence<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw new AppError('unavailable', `the cluster could not be asked what the server may do: ${messageOf(error)}`, { cause: error });
  }
}
