import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { startHouse } from '../support/house';
import { StruckLine } from '../support/struck-line';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const configMap = (name: string): KubeObject => ({ ...CONFIG_MAP, metadata: { name }, data: { made: 'as written' } });
const APPLICATION: KubeObject = {
  ...KINDS.application,
  metadata: { name: 'web' },
  spec: {
    components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [configMap('kept'), configMap('reverted')] } }],
    policies: [
      {
        name: 'once',
        type: 'apply-once',
        properties: {
          enable: true,
          rules: [{ selector: { resourceNames: ['kept'] }, strategy: { affect: 'onStateKeep', path: ['*'] } }],
        },
      },
    ],
  },
};

it('[design 14] what a policy leaves alone is left alone after a pass that failed, and what that reverts is on record', async () => {
  const lines: StruckLine[] = [];
  await using house = await startHouse({
    through: (cluster) => {
      const line = new StruckLine(cluster);
      lines.push(line);
      return line.cluster;
    },
  });
  const made = async (name: string) => readString(await house.get(CONFIG_MAP, name), 'data', 'made');
  const applied = async () => getCondition(await house.get(KINDS.application, 'web'), 'Applied');
  await house.apply(APPLICATION);
  await house.until('it is applied', async () => (await applied())?.status === 'True');
  await house.advance(10_000);
  const write = (name: string) =>
    house.cluster.patch({ ...CONFIG_MAP, namespace: house.ns, name }, { type: 'merge', body: { data: { made: 'by hand' } } });
  await write('kept');
  await house.advance(60_000);
  expect(await made('kept')).toBe('by hand');
  for (let at = 1; at <= 4; at++) {
    lines.at(-1)?.strikeAt(at, 'cut-before');
    await write('reverted');
    await house.until('it is as written', async () => (await made('reverted')) === 'as written');
    await house.advance(60_000);
    expect([at, lines.at(-1)?.wasStruck, await made('kept')]).toEqual([at, true, 'by hand']);
  }
  const reverts = [...house.record.values()].filter(({ action, message }) => action === 'drift.repaired' && message.includes('data.made'));
  expect(reverts.map(({ about }) => about.name)).toEqual(['reverted', 'reverted', 'reverted', 'reverted']);
});
