import { mayBePasted, shellWord } from '@/lib/std/text/shell-word';
import type { Right } from '../act';
import { FLUX_RESOURCES, RESOURCES } from '../act';

const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9.-]+):([a-z0-9.-]+)$/;
const LONGEST_NAME = 200;
const KNOWN: readonly Pick<Right, 'group' | 'resource'>[] = [...Object.values(RESOURCES), ...Object.values(FLUX_RESOURCES)];

/**
 * The commands by which an administrator gives somebody rights, each exactly as it is missing. They are pasted into a shell, and names come from
 * whoever chose them: what a shell could read as its own is quoted, and a name with invisible characters gets no command.
 */
export function grantCommands(user: string, rights: readonly Right[]): readonly string[] {
  if (![user, ...rights.flatMap(({ isClusterScoped: _, ...right }) => Object.values(right))].every(mayBePasted)) return [];
  // Each may be missing by itself, and what is pasted first must not have the name of what is pasted next.
  const isShared = ({ group, resource }: Right) =>
    [...KNOWN, ...rights].some((other) => other.resource === resource && other.group !== group);
  return rights.flatMap((right) => commandsOf(user, right, isShared(right)));
}

/** The command by which an administrator lets somebody read what Kubernetes' own role `view` reads, in one namespace or in all. */
export function viewCommands(user: string, ns: string | undefined): readonly string[] {
  if (![user, ns ?? ''].every(mayBePasted)) return [];
  const kind = ns === undefined ? 'clusterrolebinding' : 'rolebinding';
  const within = ns === undefined ? [] : [option('namespace', ns)];
  return [['kubectl create', kind, toName('slipway-view', user), option('clusterrole', 'view'), whom(user), ...within].join(' ')];
}

/** Two resources of one name each have a role of their own, named with the group. */
function commandsOf(user: string, { verb, group, resource, subresource, namespace, name }: Right, isShared: boolean): readonly string[] {
  if (group === RESOURCES.sessions.group && resource === RESOURCES.sessions.resource) return [administratorFor(user)];
  const scope =
    namespace === undefined ? { kind: 'clusterrole', options: [] } : { kind: 'role', options: [option('namespace', namespace)] };
  const role = toName('slipway', verb, isShared ? `${resource}.${group}` : resource, subresource, name);
  const what = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  const named = name === undefined ? [] : [option('resource-name', name)];
  return [
    ['kubectl create', scope.kind, role, option('verb', verb), option('resource', what), ...named, ...scope.options].join(' '),
    ['kubectl create', `${scope.kind}binding`, toName(role, user), option(scope.kind, role), whom(user), ...scope.options].join(' '),
  ];
}

/** kubectl makes no role for what no API server serves, so there is one in `deploy/rbac/people.yaml`. */
function administratorFor(user: string): string {
  return [
    'kubectl create clusterrolebinding',
    toName('slipway-administrator', user),
    option('clusterrole', 'slipway:administrator'),
    whom(user),
  ].join(' ');
}

function whom(user: string): string {
  const [, ns, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return ns === undefined ? option('user', user) : option('serviceaccount', `${ns}:${name}`);
}

const option = (name: string, value: string) => shellWord(`--${name}=${value}`);

/** A name that Kubernetes takes for roles and that says what it is about. */
function toName(...parts: readonly (string | undefined)[]): string {
  const words = parts.flatMap((part) => (part === undefined ? [] : part.toLowerCase().split(/[^a-z0-9.]+/)));
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, LONGEST_NAME);
}
