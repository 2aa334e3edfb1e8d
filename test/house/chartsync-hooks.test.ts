import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readField, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const KEY = 'canary-hook-key-41d2';
const NEVER_MS = 3_600_000;
const LIMIT_MS = 10_000;
const WEBHOOK = { metadata: { annotations: { 'slipway.dev/webhook-secret': 'push' } } };

const putKey = ({ cluster }: ChartHouse, data: object) =>
  cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'pay', name: 'push' }, data });

function call(body: string, key = KEY) {
  const bytes = Buffer.from(body);
  return { headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}` }, body: bytes };
}

const hookOf = (house: ChartHouse, name: string, type = KINDS.helmRelease as Parameters<ChartHouse['tell']>[1]) =>
  house.tell(name, type)?.webhook?.id ?? '';

describe('a git server that tells of a push', () => {
  it('[issue 12] has the commit live within 10 s of its call, for both kinds, though nobody looks for an hour', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { pollMs: NEVER_MS, intervalMs: NEVER_MS });
    await putKey(house, { webhook: Buffer.from(`${KEY}\n`).toString('base64') });
    await house.declare('base', { chartGitPath: 'ledger', values: {} });
    await house.declare('later', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
    const kinds = [
      ['base', KINDS.fluxHelmRelease],
      ['later', KINDS.helmRelease],
    ] as const;
    for (const [name, kind] of kinds) await house.cluster.patch({ ...kind, namespace: 'pay', name }, { type: 'merge', body: WEBHOOK });
    const replicas = async (name: string) => readField(await house.get(KINDS.deployment, `pay-${name}`), 'spec', 'replicas');
    for (const [name, kind] of kinds) {
      await until(`${name} is installed`, async () => (await replicas(name)) === 1);
      await until(`${name} has a hook`, () => hookOf(house, name, kind) !== '');
    }
    expect(hookOf(house, 'base', KINDS.fluxHelmRelease)).toBe(hookOf(house, 'later'));

    repository.commitChart('ledger', { 'values.yaml': 'replicas: 3\n' });
    const began = performance.now();
    await house.hooks.deliver(hookOf(house, 'later'), call('{"ref":"refs/heads/main"}'));
    for (const [name] of kinds) await until(`${name} has the commit`, async () => (await replicas(name)) === 3);
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    expect(house.lines.filter((line) => line.includes(KEY))).toEqual([]);
  });

  it('[issue 12] wakes the mirror and does no more when it calls again; what is not signed, or has no secret, does nothing', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { pollMs: NEVER_MS, intervalMs: NEVER_MS });
    await house.declare('later', { chart: { git: repository.url, ref: 'main', path: 'charts/ledger' } }, KINDS.helmRelease);
    const object = () => house.get(KINDS.helmRelease, 'later');
    const asked = async () => (await object())?.metadata.annotations?.['slipway.dev/fetch-requested-at'];
    await house.cluster.patch({ ...KINDS.helmRelease, namespace: 'pay', name: 'later' }, { type: 'merge', body: WEBHOOK });
    await until('it is installed', async () => readString(await object(), 'status', 'phase') === 'Succeeded');
    await until('it has a hook', () => hookOf(house, 'later') !== '');
    const id = hookOf(house, 'later');

    await expect(house.hooks.deliver('0'.repeat(32), call(''))).rejects.toMatchObject({ code: 'not-found' });
    await house.declare('absent', { chartGitPath: 'ledger', values: {} });
    const absent = { metadata: { annotations: { 'slipway.dev/webhook-secret': 'absent' } } };
    await house.cluster.patch({ ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'absent' }, { type: 'merge', body: absent });
    await until('it has a hook', () => hookOf(house, 'absent', KINDS.fluxHelmRelease) !== '');
    await expect(house.hooks.deliver(hookOf(house, 'absent', KINDS.fluxHelmRelease), call(''))).rejects.toMatchObject({
      code: 'not-found',
    });
    await putKey(house, { webhook: '' });
    const byNothing = { headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', '').digest('hex')}` }, body: Buffer.from('') };
    await expect(house.hooks.deliver(id, byNothing)).rejects.toMatchObject({ code: 'not-found' });
    await house.cluster.patch(
      { apiVersion: 'v1', kind: 'Secret', namespace: 'pay', name: 'push' },
      { type: 'merge', body: { data: { webhook: Buffer.from(KEY).toString('base64') } } },
    );
    await until('the new secret is taken', async () => {
      const refused = await house.hooks.deliver(id, call('', 'other')).catch((error: unknown) => readString(error, 'code'));
      return refused === 'unauthenticated';
    });
    expect(await asked()).toBeUndefined();

    await house.hooks.deliver(id, call(''));
    const first = await asked();
    expect(first).toBeDefined();
    const generation = (await object())?.metadata.generation;
    const looks = await house.looks('commit', 'equal');
    await house.hooks.deliver(id, call(''));
    await until('it was requested again', async () => (await asked()) !== first);
    expect((await object())?.metadata.generation).toBe(generation);
    expect(await house.looks('commit', 'equal')).toBe(looks);

    // Counted by what came of them; no line tells a name.
    const lines = (await house.metrics()).split('\n').filter((line) => line.startsWith('slipway_chartsync_'));
    const counted = (text: string) =>
      Number(
        lines
          .find((line) => line.startsWith(text))
          ?.split(' ')
          .at(-1) ?? 0,
      );
    expect(
      ['taken', 'unknown', 'unsigned', 'failed'].map((result) => counted(`slipway_chartsync_webhooks_total{result="${result}"}`) > 0),
    ).toEqual([true, true, true, false]);
    expect(counted('slipway_chartsync_helm_duration_seconds_count{command="install",result="done"}')).toBeGreaterThan(0);
    expect(lines.filter((line) => /later|absent|ledger|pay/.test(line))).toEqual([]);
  });
});
