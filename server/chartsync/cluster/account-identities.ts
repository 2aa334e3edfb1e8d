import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { AppError } from '@/lib/contract/app-error';
import { grantCommand } from '@/lib/contract/grant';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import { writeYaml } from '@/lib/std/yaml/write-yaml';
import type { Cluster, ServerSource } from '@/server/kube';
import { isNotFound } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import type { Identities } from '../identities';
import { accountUser } from '../identities';
import type { Impersonation } from '../model/impersonation';

const OWN_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const IN_CLUSTER = {
  cluster: { server: 'https://kubernetes.default.svc', 'certificate-authority': `${OWN_ACCOUNT}/ca.crt` },
  user: { tokenFile: `${OWN_ACCOUNT}/token` },
} as const;
/** Members of a kubeconfig that name files, which stand relative to it. */
const FILES = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];
/** As whom a kubeconfig acts already: groups of that one would be added to those of the account. */
const IMPERSONATION = /^as($|-)/;

interface AccountsDeps {
  readonly cluster: Cluster;
  readonly source: ServerSource;
  /** The ServiceAccount that acts in each namespace for resources that name none; the server itself does where it is undefined. */
  readonly account: string | undefined;
  readonly folder: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** How long an account that was there is taken to be there, as long as a right of a person is: a pass starts Helm for many releases of one account. */
const KEPT_MS = 3000;

/** Acts in each namespace as a ServiceAccount of that namespace, so that a resource makes nothing that its namespace may not. */
export function accountIdentities({ cluster, source, account, folder, clock }: AccountsDeps): Identities {
  const accountOf = (who: Impersonation) => who.account ?? account;
  const seen = memoizeFor<void>(KEPT_MS, clock);
  let drafts = 0;
  return {
    accountOf,
    clusterFor(who) {
      const name = accountOf(who);
      return name === undefined ? cluster : cluster.as({ user: accountUser(who.namespace, name), groups: [] });
    },
    async kubeconfigFor(who) {
      const { namespace } = who;
      const name = accountOf(who);
      if (name === undefined && source.kind === 'kubeconfig') return source.path;
      const as = name === undefined ? {} : { as: accountUser(namespace, name) };
      if (name !== undefined)
        await seen(accountUser(namespace, name), () => requireAccount(cluster, { namespace, account: name, isUsual: name === account }));
      // Of each user one: what two of them run at once is never run as the other.
      const file = path.join(
        folder,
        createHash('sha256')
          .update(JSON.stringify([namespace, name]))
          .digest('hex'),
      );
      const { cluster: server, user } = await readServer(source);
      const own = name === undefined ? user : Object.fromEntries(Object.entries(user).filter(([member]) => !IMPERSONATION.test(member)));
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'cluster', cluster: server }],
        users: [{ name: 'server', user: { ...own, ...as } }],
        contexts: [{ name: 'charts', context: { cluster: 'cluster', user: 'server', namespace } }],
        'current-context': 'charts',
      };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // A Helm that starts meanwhile reads the one before or this one, never half of it.
      const draft = `${file}.${process.pid}.${drafts++}`;
      await rm(draft, { force: true }); // of an earlier process of that number, open to whomever it was
      await writeFile(draft, writeYaml(config), { mode: 0o600 });
      await rename(draft, file);
      return file;
    },
  };
}

async function requireAccount(
  cluster: Cluster,
  { namespace, account, isUsual }: { readonly namespace: string; readonly account: string; readonly isUsual: boolean },
): Promise<void> {
  await cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: account }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    const named = { group: '', resource: 'serviceaccounts', verb: 'impersonate', name: account };
    const remedy = isUsual
      ? `until its owner creates it: ${grantCommand(namespace, [named], account)}`
      : 'until its owner creates it, with the rights that its charts need';
    throw new AppError('forbidden', `Helm runs as ServiceAccount ${account} of ${namespace}, which does not exist ${remedy}`);
  });
}

/** The address and the credentials of a context, files by their whole path. */
async function readServer(source: ServerSource): Promise<{ readonly cluster: Fields; readonly user: Fields }> {
  if (source.kind === 'in-cluster') return IN_CLUSTER;
  const config: unknown = parse(await readFile(source.path, 'utf8'), { maxAliasCount: 0 });
  const context = readFields(entryOf(config, 'contexts', source.context ?? readString(config, 'current-context')), 'context');
  const folder = path.dirname(path.resolve(source.path));
  const member = (list: string, name: string) => withWholePaths(readFields(entryOf(config, list, readString(context, name)), name), folder);
  return { cluster: member('clusters', 'cluster'), user: member('users', 'user') };
}

function entryOf(config: unknown, list: string, name: string | undefined): unknown {
  return readList(config, list).find((entry) => isFields(entry) && entry.name === name);
}

function withWholePaths(fields: Fields, folder: string): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      FILES.includes(name) && typeof value === 'string' ? path.resolve(folder, value) : value,
    ]),
  );
}
