import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { readBoolean, readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';

/** Rights of one kind of object. */
interface Rule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

const SERVER_ROLE = 'slipway:server';
const MEND = 'kubectl apply -f deploy/rbac.yaml';
/** Rights that a role binding gives in one namespace are none everywhere: a namespace that is not there has only those of the whole cluster. */
const NOWHERE = 'slipway-doctor';

/** Compares what the server may do with the role that is deployed for it; one request. */
export async function findMissingRights(roles: readonly KubeObject[], cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const wanted = roles.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === SERVER_ROLE);
  if (wanted === undefined) return [];
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', metadata: {}, spec: { namespace: NOWHERE } };
  try {
    const answer = await cluster.create(review, { signal });
    const held = readList(answer, 'status', 'resourceRules').map(toRule);
    const missing = readList(wanted, 'rules').flatMap((rule) => missingOf(toRule(rule), held));
    // An authoriser that cannot list what it allows may allow more than it lists.
    const unsure = readBoolean(answer, 'status', 'incomplete') === true;
    return missing.map(({ subject, verbs }) => toFinding(subject, verbs, unsure));
  } catch (error) {
    return [{ area: 'rights', subject: 'SelfSubjectRulesReview', sentence: `the server could not ask what it may do: ${messageOf(error)}`, mend: MEND }];
  }
}

function toFinding(subject: string, verbs: readonly string[], unsure: boolean): Finding {
  const sentence = unsure
    ? `the cluster does not say whether the server may ${verbs.join(', ')} ${subject}`
    : `the server may not ${verbs.join(', ')} ${subject} in all namespaces: what needs it fails with a sentence of its own`;
  return { area: 'rights', subject, sentence, mend: MEND };
}

function toRule(rule: unknown): Rule {
  const texts = (member: string) => readList(rule, member).filter((text): text is string => typeof text === 'string');
  // A rule for named objects gives no right on the kind.
  const named = texts('resourceNames').length > 0;
  return { verbs: named ? [] : texts('verbs'), groups: texts('apiGroups'), resources: texts('resources') };
}

function missingOf(wanted: Rule, held: readonly Rule[]): readonly { readonly subject: string; readonly verbs: readonly string[] }[] {
  return wanted.groups.flatMap((group) =>
    wanted.resources.flatMap((resource) => {
      const verbs = wanted.verbs.filter((verb) => !held.some((rule) => gives(rule, { verb, group, resource })));
      return verbs.length === 0 ? [] : [{ subject: group === '' ? resource : `${resource}.${group}`, verbs }];
    }),
  );
}

function gives(
  { verbs, groups, resources }: Rule,
  { verb, group, resource }: { readonly verb: string; readonly group: string; readonly resource: string },
): boolean {
  return includes(verbs, verb) && includes(groups, group) && (includes(resources, resource) || isSubresourceOf(resources, resource));
}

const includes = (list: readonly string[], word: string) => list.includes(word) || list.includes('*');
/** `*` before a subresource stands for every resource. */
const isSubresourceOf = (resources: readonly string[], resource: string) => resource.includes('/') && resources.includes(`*/${resource.split('/')[1]}`);
