import { isFields, readField, readList, readString } from '@/lib/kube/fields';
import { matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import type { Store } from '../storage/store';
import type { Caller } from './caller';
import { isMaster } from './caller';

/** What somebody wants to do. */
export interface Attempt {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** A path that is no resource. */
  readonly path?: string;
}

/** One rule of a role, every list present. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

interface Grant {
  /** Absent: everywhere. */
  readonly namespace: string | undefined;
  readonly rules: readonly Rule[];
  readonly reason: string;
}

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = `roles.${GROUP}`;
const CLUSTER_ROLES = `clusterroles.${GROUP}`;
const ROLE_BINDINGS = `rolebindings.${GROUP}`;
const CLUSTER_ROLE_BINDINGS = `clusterrolebindings.${GROUP}`;

/** Who may do what: RBAC over the stored roles and bindings. */
export class Rights {
  readonly #store: Store;
  #grants: ReadonlyMap<string, readonly Grant[]> | undefined;

  constructor(store: Store) {
    this.#store = store;
    store.subscribe(({ storage }) => {
      if (storage.endsWith(GROUP)) this.#grants = undefined;
    });
  }

  /** The reason why it is allowed, or undefined. */
  reasonFor(caller: Caller, attempt: Attempt): string | undefined {
    if (isMaster(caller)) return '';
    for (const grant of this.#grantsOf(caller)) {
      if (grant.namespace !== undefined && grant.namespace !== attempt.namespace) continue;
      if (grant.rules.some((rule) => allows(rule, attempt, grant.namespace))) return grant.reason;
    }
    return undefined;
  }

  /** All rules that hold for somebody within a namespace. */
  rulesOf(caller: Caller, namespace: string): readonly Rule[] {
    return this.#grantsOf(caller).flatMap((grant) => (grant.namespace === undefined || grant.namespace === namespace ? grant.rules : []));
  }

  /** The rules of a role, those it aggregates included. */
  rulesOfRole(role: KubeObject): readonly Rule[] {
    return this.#rulesOf(role);
  }

  #grantsOf({ user, groups }: Caller): readonly Grant[] {
    this.#grants ??= this.#collect();
    const grants = this.#grants;
    return [`u:${user}`, ...groups.map((group) => `g:${group}`)].flatMap((subject) => grants.get(subject) ?? []);
  }

  #collect(): ReadonlyMap<string, readonly Grant[]> {
    const grants = new Map<string, Grant[]>();
    for (const binding of [...this.#store.table(CLUSTER_ROLE_BINDINGS).list(), ...this.#store.table(ROLE_BINDINGS).list()]) {
      const { namespace, name } = binding.metadata;
      const role = readString(binding, 'roleRef', 'name') ?? '';
      const isLocal = readString(binding, 'roleRef', 'kind') === 'Role';
      const rules = this.#rulesOf(isLocal ? this.#store.get(ROLES, `${namespace}/${role}`) : this.#store.get(CLUSTER_ROLES, role));
      const bound = `RBAC: allowed by ${namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`} of ${isLocal ? 'Role' : 'ClusterRole'} "${role}"`;
      for (const subject of readList(binding, 'subjects')) {
        const key = subjectKey(subject, namespace);
        const said = `${bound} to ${describeSubject(subject)}`;
        grants.set(key, [...(grants.get(key) ?? []), { namespace, rules, reason: said }]);
      }
    }
    return grants;
  }

  // A role that aggregates has the rules of the roles it selects.
  #rulesOf(role: KubeObject | undefined): readonly Rule[] {
    if (role === undefined) return [];
    const own = readList(role, 'rules').map(toRule);
    const selectors = readList(role, 'aggregationRule', 'clusterRoleSelectors').filter(isFields);
    if (selectors.length === 0) return own;
    const selected = this.#store
      .table(CLUSTER_ROLES)
      .list()
      .filter((other) => other !== role && selectors.some((selector) => matchesSelector(selector, other.metadata.labels ?? {})));
    return [...own, ...selected.flatMap((other) => this.#rulesOf(other))];
  }
}

function subjectKey(subject: unknown, namespace: string | undefined): string {
  const name = readString(subject, 'name') ?? '';
  switch (readString(subject, 'kind')) {
    case 'Group':
      return `g:${name}`;
    case 'ServiceAccount':
      return `u:system:serviceaccount:${readString(subject, 'namespace') ?? namespace ?? ''}:${name}`;
    default:
      return `u:${name}`;
  }
}

function describeSubject(subject: unknown): string {
  const kind = readString(subject, 'kind') ?? '';
  const namespace = readString(subject, 'namespace');
  return `${kind} "${readString(subject, 'name') ?? ''}${kind === 'ServiceAccount' && namespace ? `/${namespace}` : ''}"`;
}

/** Reads one rule of a role. */
export function toRule(rule: unknown): Rule {
  const words = (member: string) => readList(readField(rule), member).filter((word): word is string => typeof word === 'string');
  return {
    verbs: words('verbs'),
    apiGroups: words('apiGroups'),
    resources: words('resources'),
    resourceNames: words('resourceNames'),
    nonResourceURLs: words('nonResourceURLs'),
  };
}

function allows(rule: Rule, attempt: Attempt, namespace: string | undefined): boolean {
  const has = (list: readonly string[], word: string) => list.includes('*') || list.includes(word);
  if (!has(rule.verbs, attempt.verb)) return false;
  const { path } = attempt;
  if (path !== undefined)
    return (
      namespace === undefined &&
      rule.nonResourceURLs.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))))
    );
  const { group = '', resource = '', subresource, name = '' } = attempt;
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  const fits = has(rule.resources, wanted) || (subresource !== undefined && rule.resources.includes(`*/${subresource}`));
  return fits && has(rule.apiGroups, group) && (rule.resourceNames.length === 0 || rule.resourceNames.includes(name));
} // prettier-ignore
