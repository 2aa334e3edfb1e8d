import { messageOf } from '@/lib/contract/app-error';
import type { Finding } from '@/lib/contract/finding';
import { readList } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Cluster, HeldRights, RightsRule } from '@/server/kube';
import { givesRight, readHeldRights, toRightsRule } from '@/server/kube';

/** Roles that the server has wherever it is deployed; what applications contain is granted by namespace, or by an opt-in. */
const SERVER = 'slipway:server';
const READER = 'slipway.dev/aggregate-to-reader';
/** Sign-in mode local writes as this person; any other mode deploys no such role. */
const LOCAL = 'slipway:local-operator';
const MEND = 'kubectl apply -f deploy/rbac/server.yaml';
const MEND_LOCAL = 'kubectl apply -f deploy/rbac/impersonation.yaml';

/** Compares what the server may do with the roles that are deployed for it; one request for the whole cluster, and one for its own namespace. */
export async function findMissingRights(roles: readonly KubeObject[], cluster: Cluster, signal: AbortSignal): Promise<readonly Finding[]> {
  const wanted = roles.filter(isOfServer);
  const places = [...new Set(wanted.map(({ metadata }) => metadata.namespace))];
  try {
    const held = new Map(await Promise.all(places.map(async (place) => [place, await readHeldRights(cluster, place, signal)] as const)));
    return wanted.flatMap((role) => {
      const here = held.get(role.metadata.namespace) ?? NOTHING;
      return readList(role, 'rules').flatMap((rule) =>
        missingOf(toRightsRule(rule), here).map((missing) => toFinding({ ...missing, role }, here)),
      );
    });
  } catch (error) {
    return [
      {
        area: 'rights',
        subject: 'SelfSubjectRulesReview',
        sentence: `the server could not ask what it may do: ${messageOf(error)}`,
        remedy: MEND,
      },
    ];
  }
}

const NOTHING: HeldRights = { rules: [], isIncomplete: false };

function isOfServer({ kind, metadata: { name, labels = {} } }: KubeObject): boolean {
  return (kind === 'ClusterRole' || kind === 'Role') && (name === SERVER || name === LOCAL || labels[READER] === 'true');
}

interface Missing {
  readonly subject: string;
  readonly verbs: readonly string[];
}

function toFinding({ subject, verbs, role }: Missing & { readonly role: KubeObject }, { isIncomplete }: HeldRights): Finding {
  const { namespace, name } = role.metadata;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const sentence = isIncomplete
    ? `the cluster does not say whether the server may ${verbs.join(', ')} ${subject} ${where}`
    : `the server may not ${verbs.join(', ')} ${subject} ${where}: what needs it fails with its own message`;
  return { area: 'rights', subject, sentence, remedy: name === LOCAL ? MEND_LOCAL : MEND };
}

function missingOf(wanted: RightsRule, { rules }: HeldRights): readonly Missing[] {
  return wanted.groups.flatMap((group) =>
    wanted.resources.flatMap((resource) => {
      const named = wanted.names.length === 0 ? [{}] : wanted.names.map((name) => ({ name }));
      const verbs = wanted.verbs.filter((verb) => named.some((one) => !givesRight(rules, { verb, group, resource, ...one })));
      const subject = `${group === '' ? resource : `${resource}.${group}`}${wanted.names.map((name) => ` ${name}`).join()}`;
      return verbs.length === 0 ? [] : [{ subject, verbs }];
    }),
  );
}
