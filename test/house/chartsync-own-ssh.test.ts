import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { aChart, ChartRepository } from '../support/chart-repository';
import { makeSshKey, startGitSsh } from '../support/git-ssh.mjs';
import { until } from '../support/until';
import { use } from '../support/use';
import { openChartHouse } from './chartsync-house';

const NEVER_MS = 3_600_000;

/** A house whose own repository is reached by ssh, with the Secret that `--git-secret` names. */
async function openWithSsh() {
  const repository = new ChartRepository();
  const first = repository.commitChart('ledger', aChart());
  const [hostKey, old, next, stranger] = [makeSshKey(), makeSshKey(), makeSshKey(), makeSshKey()];
  const accepted = { key: old };
  const ssh = use(await startGitSsh({ root: path.dirname(repository.bare), hostKey, accepts: () => accepted.key.public }));
  const outbound = new Outbound({ policy: readPolicy(`127.0.0.1:${ssh.port}`), clock: realClock, lookup: async () => ['127.0.0.1'] });
  const own = { repository: `ssh://git@git.test:${ssh.port}/origin.git`, repositorySecret: { namespace: 'slipway', name: 'deploy' } };
  const house = use(await openChartHouse(repository, { ...own, outbound, pollMs: 300, intervalMs: NEVER_MS }));
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'slipway', name: 'deploy' } as const;
  await house.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'slipway' } });
  await house.cluster.create({ ...secret, metadata: { namespace: 'slipway', name: 'deploy' } });
  let asked = 0;
  const put = async (identity: string, host: string) => {
    const texts = { identity, known_hosts: `[git.test]:${ssh.port} ${host}` };
    const data = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
    await house.cluster.patch(secret, { type: 'merge', body: { data } });
    // As a webhook has it fetched: the next try after one that failed is later and later.
    asked += 1;
    const annotations = { 'slipway.dev/fetch-requested-at': String(asked) };
    await house.cluster.patch(
      { ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'ledger' },
      { type: 'merge', body: { metadata: { annotations } } },
    );
  };
  await house.declare('ledger', { chartGitPath: 'ledger', values: {} });
  const finding = () => (house.engine.findings?.() ?? []).map(({ sentence }) => sentence).join('\n');
  return { house, repository, first, ssh, keys: { hostKey, old, next, stranger }, accepted, put, finding };
}

it('[issue 12.1] of the server is asked nothing over ssh before the host proves to be the one of known_hosts, and is taken at the next fetch once it does', async () => {
  const { house, first, ssh, keys, put, finding } = await openWithSsh();
  await until('the Secret lacks its keys', () => finding().includes('Secret deploy in slipway (--git-secret) has no known_hosts'));
  await put(keys.old.private, keys.stranger.public);
  await until('the host is another', () => finding().includes('its host key is not in known_hosts'));
  expect([ssh.seen, house.tell('ledger')?.lastAct]).toEqual([[], null]);
  await put(keys.old.private, keys.hostKey.public);
  await until('it is released', () => house.tell('ledger')?.state === 'in-sync');
  expect(house.tell('ledger')?.revision).toBe(first);
  expect(finding()).toBe('');
});

it('[issue 12.1] of the server goes on over ssh with an identity that was rotated, and stays where it is until it has it', async () => {
  const { house, repository, first, keys, accepted, put, finding } = await openWithSsh();
  await put(keys.old.private, keys.hostKey.public);
  await until('it is released', () => house.tell('ledger')?.state === 'in-sync');
  accepted.key = keys.next;
  // A fetch that was let in before ends first: it would bring the commit with the old identity.
  await until('the old one is refused', () => finding().includes('cannot be fetched'));
  const second = repository.commitChart('ledger', { 'values.yaml': 'replicas: 2\n' });
  expect(finding()).toContain('it rejects the identity; releases stay at what was fetched');
  expect(house.tell('ledger')?.revision).toBe(first);
  await put(keys.next.private, keys.hostKey.public);
  await until('the commit is released', () => house.tell('ledger')?.revision === second);
  expect(finding()).toBe('');
  // No key is told anywhere, nor does one stay on disk.
  const told = house.lines.join('\n') + JSON.stringify(house.recorded);
  for (const key of [keys.old, keys.next]) expect(told).not.toContain(key.private.split('\n')[1]);
  const kept = () => readdirSync(path.join(repository.folder, 'chartsync'), { recursive: true }).map(String);
  expect(kept().some((name) => name.endsWith('FETCH_HEAD') || name.endsWith('packed-refs'))).toBe(true);
  await until('no fetch is under way', () => !kept().some((name) => /identity|known_hosts/.test(name)));
});
