import { CHARTS_ACCOUNT, grantCommand } from '@/lib/contract/grant';
import { accountUser } from '../identities';

/** The account as which Helm ran. */
export interface HelmAccount {
  readonly namespace: string;
  readonly name: string;
}

const FORBIDDEN =
  /is forbidden: User "([^"]+)" cannot \w+ resource "([a-z0-9.-]+)(?:\/[a-z]+)?" in API group "([a-z0-9.-]*)" (?:at the cluster scope|in the namespace "([a-z0-9-]+)")/;
/** What Helm does to objects of a chart, and to wait for them. */
const VERBS = 'get,list,watch,create,update,patch,delete';

/** The command that gives an account the right that the API server missed in a text of Helm; undefined where that says nothing of this account. */
export function missingRightCommand(text: string, { namespace: home, name: account }: HelmAccount): string | undefined {
  const [, user, resource, group = '', namespace] = FORBIDDEN.exec(text) ?? [];
  if (resource === undefined || user !== accountUser(home, account)) return undefined;
  if (namespace === home && account === CHARTS_ACCOUNT) return grantCommand(namespace, [{ group, resource }]);
  const [kind, within] = namespace === undefined ? ['clusterrole', ''] : ['role', ` -n ${namespace}`];
  const role = `${account}-of-${home}:${resource}`;
  const resources = group === '' ? resource : `${resource}.${group}`;
  return [
    `kubectl create ${kind} ${role}${within} --verb=${VERBS} --resource=${resources}`,
    `kubectl create ${kind}binding ${role}${within} --${kind}=${role} --serviceaccount=${home}:${account}`,
  ].join(' && ');
}
