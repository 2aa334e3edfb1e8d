import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ApiContext, Call } from '../api/context';
import { forbidden, notFound } from '../api/failures';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import type { Rule } from './rights';
import { toRule } from './rights';

const GROUP = 'rbac.authorization.k8s.io';

/** Nobody gives rights that they do not hold themselves, unless they may escalate (roles) or bind (bindings). */
export function admitGrant(
  context: ApiContext,
  resource: Resource,
  object: Draft,
  previous: KubeObject | undefined,
  { caller }: Call,
): void {
  if (resource.group !== GROUP) return;
  const given = isBinding(resource) ? ['roleRef', 'subjects'] : ['rules', 'aggregationRule'];
  if (previous !== undefined && given.every((member) => deepEqual(object[member], readField(previous, member)))) return;
  const { rights } = context;
  const namespace = readString(object, 'metadata', 'namespace');
  const kind = readString(object, 'roleRef', 'kind') ?? resource.kind;
  const role = readString(object, 'roleRef', 'name');
  const plural = kind === 'Role' ? 'roles' : 'clusterroles';
  const name = role ?? readString(object, 'metadata', 'name') ?? '';
  const verb = isBinding(resource) ? 'bind' : 'escalate';
  if (rights.reasonFor(caller, { verb, group: GROUP, resource: plural, name, ...(namespace ? { namespace } : {}) }) !== undefined) return;
  const wanted = isBinding(resource) ? rulesOf(context, { kind, plural, name, namespace }) : readList(object, 'rules').map(toRule);
  const held = rights.rulesOf(caller, namespace ?? '');
  const missing = wanted.flatMap(split).filter((one) => !held.some((rule) => covers(rule, one)));
  if (missing.length === 0 && readField(object, 'aggregationRule') === undefined) return;
  const said = missing.map(
    ({ apiGroups, resources, verbs }) =>
      `{APIGroups:${JSON.stringify(apiGroups)}, Resources:${JSON.stringify(resources)}, Verbs:${JSON.stringify(verbs)}}`,
  );
  const sentence = `user "${caller.user}" (groups=${JSON.stringify(caller.groups)}) is attempting to grant RBAC permissions not currently held:\n${said.join('\n')}`;
  throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', sentence);
}

const isBinding = ({ plural }: Resource) => plural === 'rolebindings' || plural === 'clusterrolebindings';

interface RoleAt {
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

function rulesOf({ store, rights }: ApiContext, { kind, plural, name, namespace }: RoleAt): readonly Rule[] {
  const role = store.get(`${plural}.${GROUP}`, kind === 'Role' ? `${namespace ?? ''}/${name}` : name);
  if (role === undefined) throw notFound({ group: GROUP, plural, kind }, name);
  return rights.rulesOfRole(role);
}

/** A rule as the single rights it gives. */
function split(rule: Rule): readonly Rule[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const none: readonly string[] = [];
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((url) => ({ verbs: [verb], apiGroups: none, resources: none, resourceNames: none, nonResourceURLs: [url] })),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((resourceName) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: resourceName,
          nonResourceURLs: none,
        })),
      ),
    ),
  ]);
}

/** True when a rule that is held gives a single right. */
function covers(held: Rule, one: Rule): boolean {
  const has = (list: readonly string[], word: string | undefined) => word !== undefined && (list.includes('*') || list.includes(word));
  if (!has(held.verbs, one.verbs[0])) return false;
  const [url] = one.nonResourceURLs;
  if (url !== undefined)
    return held.nonResourceURLs.some((path) => path === url || (path.endsWith('*') && url.startsWith(path.slice(0, -1))));
  const [resource = ''] = one.resources;
  const subresource = resource.split('/')[1];
  const fits = has(held.resources, resource) || (subresource !== undefined && held.resources.includes(`*/${subresource}`));
  const [name] = one.resourceNames;
  return (
    has(held.apiGroups, one.apiGroups[0]) &&
    fits &&
    (held.resourceNames.length === 0 || (name !== undefined && held.resourceNames.includes(name)))
  );
}
