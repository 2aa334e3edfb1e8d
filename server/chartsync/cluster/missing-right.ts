import { CHARTS_ACCOUNT, grantCommand } from '@/lib/contract/grant';
import { accountUser } from '../identities';

/** The account as which Helm ran. */
export interface HelmAccount {
  readonly namespace: string;
  readonly name: string;
}

/** What Helm says before the words of the API server, in no part of which two of these are met. A name in it has neither quotes nor colons, and nothing else in it is of a chart. */
const BEFORE = [
  '[A-Z]+ FAILED',
  '[a-z][a-z -]*',
  'Unable to continue with [a-z]+',
  'failed to install CRD [A-Za-z0-9._/-]+',
  'could not get information about the resource [A-Za-z]+ "[a-z0-9.:-]*" in namespace "[a-z0-9-]*"',
  'server-side apply failed for object [a-z0-9.:/-]+ [a-z0-9.-]*/[a-z0-9]+, Kind=[A-Za-z]+',
  'cannot patch "[a-z0-9.:-]+" with kind [A-Za-z]+',
].join('|');
const REFUSAL =
  'User "([^"]+)" cannot ([a-z]+) resource "([a-z0-9.-]+)(?:/[a-z]+)?" in API group "([a-z0-9.-]*)" (?:at the cluster scope|in the namespace "([a-z0-9-]+)")';
/** All of a text: a chart that fails may say whatever it likes, also that a right is missing, and nobody is to be told to grant that. */
const FORBIDDEN = new RegExp(`^(?:(?:${BEFORE}): )*[a-z0-9.-]+(?: "[a-z0-9.:-]*")? is forbidden: ${REFUSAL}$`);
/** What Helm does to objects of a chart, and to wait for them. */
const VERBS = 'get,list,watch,create,update,patch,delete';
/** What Helm does for a namespace that it is to make: never more of all namespaces than it asks for. */
const TO_MAKE = ['create', 'patch'];

/** The command that gives an account the right that the API server missed, as Helm tells; undefined where that is of another account, or may be of a chart. */
export function missingRightCommand(text: string, { namespace: home, name: account }: HelmAccount): string | undefined {
  const [, user, verb = '', resource, group = '', where] = FORBIDDEN.exec(text) ?? [];
  if (resource === undefined || user !== accountUser(home, account)) return undefined;
  const isOfNamespaces = resource === 'namespaces' && group === '';
  // Kubernetes says of a namespace that it lies in itself, also of one that is still to be made: no Role can be there.
  const namespace = isOfNamespaces ? undefined : where;
  if (namespace === home && account === CHARTS_ACCOUNT) return grantCommand(namespace, [{ group, resource }]);
  const [kind, within] = namespace === undefined ? ['clusterrole', ''] : ['role', ` -n ${namespace}`];
  const verbs = isOfNamespaces && TO_MAKE.includes(verb) ? TO_MAKE.join(',') : VERBS;
  const role = `${account}-of-${home}:${resource}`;
  const resources = group === '' ? resource : `${resource}.${group}`;
  return [
    `kubectl create ${kind} ${role}${within} --verb=${verbs} --resource=${resources}`,
    `kubectl create ${kind}binding ${role}${within} --${kind}=${role} --serviceaccount=${home}:${account}`,
  ].join(' && ');
}
