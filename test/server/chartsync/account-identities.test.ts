import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { accountIdentities } from '@/server/chartsync';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube/errors';
import { ManualClock } from '../../support/manual-clock';
import { temporaryFolder } from '../../support/temporary-folder';

it('[issue 12.1] an account is asked for once in three seconds, however many releases it acts for, and one that is not there each time', async () => {
  const folder = temporaryFolder();
  const kubeconfig = path.join(folder, 'kubeconfig');
  mkdirSync(path.join(folder, 'accounts'));
  writeFileSync(kubeconfig, 'contexts: [ { name: a, context: { cluster: a, user: a } } ]\ncurrent-context: a\n');
  const asked: string[] = [];
  const accounts = new Set(['deployer']);
  const get = async ({ namespace, name }: { readonly namespace?: string; readonly name: string }) => {
    asked.push(`${namespace}/${name}`);
    if (!accounts.has(name)) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' });
    return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  };
  const cluster = { get } as unknown as Cluster; // no more of it is asked
  const clock = new ManualClock();
  const source = { kind: 'kubeconfig', path: kubeconfig } as const;
  const identities = accountIdentities({ cluster, source, account: 'usual', folder: path.join(folder, 'accounts'), clock });
  const as = (account: string | undefined) => identities.kubeconfigFor({ namespace: 'pay', account });
  const [file] = await Promise.all([as('deployer'), as('deployer'), as('deployer')]);
  expect(readFileSync(file ?? '', 'utf8')).toContain('as: system:serviceaccount:pay:deployer');
  expect(statSync(file ?? '').mode & 0o777).toBe(0o600);
  await clock.advance(2999);
  await as('deployer');
  expect(asked).toEqual(['pay/deployer']);
  await clock.advance(1);
  await as('deployer');
  expect(asked).toEqual(['pay/deployer', 'pay/deployer']);
  for (let time = 0; time < 2; time++) await expect(as(undefined)).rejects.toThrow('ServiceAccount usual of pay');
  await expect(as(undefined)).rejects.toThrow(
    /does not exist until its owner creates it: slipway grant pay --charts-account usual \| kubectl apply -f -$/,
  );
  await expect(as('missing')).rejects.toThrow(/does not exist until its owner creates it, with the rights that its charts need$/);
  accounts.add('usual');
  await as(undefined);
  expect(asked.slice(2)).toEqual(['pay/usual', 'pay/usual', 'pay/usual', 'pay/missing', 'pay/usual']);
});

it('[issue 12, 5] an account acts with its own groups, also where the kubeconfig of the server acts as somebody', async () => {
  const folder = temporaryFolder();
  const kubeconfig = path.join(folder, 'kubeconfig');
  const user = {
    name: 'a',
    user: { token: 't', as: 'root', 'as-groups': ['system:masters'], 'as-uid': '1', 'as-user-extra': { scopes: ['all'] } },
  };
  const contexts = [{ name: 'a', context: { cluster: 'a', user: 'a' } }];
  writeFileSync(kubeconfig, JSON.stringify({ users: [user], contexts, 'current-context': 'a' }));
  const cluster = { get: async () => ({}) } as unknown as Cluster; // that the account is there is all it is asked
  const source = { kind: 'kubeconfig', path: kubeconfig } as const;
  const identities = accountIdentities({ cluster, source, account: 'usual', folder, clock: new ManualClock() });
  const written: unknown = parse(readFileSync(await identities.kubeconfigFor({ namespace: 'pay', account: undefined }), 'utf8'));
  expect(written).toMatchObject({ users: [{ name: 'server', user: { token: 't', as: 'system:serviceaccount:pay:usual' } }] });
  expect(JSON.stringify(written)).not.toMatch(/as-|masters/);
});
