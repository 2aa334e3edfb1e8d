import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { digestTree } from '@/server/chartsync/helm/chart-tree';
import { resolveValues } from '@/server/chartsync/values/resolve';
import { aChart } from '../../support/chart-repository';
import { temporaryFolder } from '../../support/temporary-folder';

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12345\n`;

function chartWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ ...aChart(), ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

it.each([
  'values.yaml',
  'values.schema.json',
  'templates/extra.yaml',
  'crds/thing.yaml',
  'charts/cache-1.0.0.tgz',
  'charts/cache/values.yaml',
])('[issue 12, 2] a chart whose %s is a Git LFS pointer is refused with the name of that file', async (name) => {
  const why = `${name} of the chart is a Git LFS pointer: content in Git LFS is not fetched, so commit the content itself`;
  await expect(digestTree(chartWith({ [name]: POINTER }))).rejects.toThrow(why);
});

it('[issue 12, 2] a Git LFS pointer that only readers of the repository see keeps a chart from nothing, and one that templates may read does', async () => {
  const pictures = { 'docs/one.png': POINTER, 'docs/two.png': POINTER };
  expect(await digestTree(chartWith(pictures))).toMatch(/^chart-tree /);
  const reading = { 'templates/map.yaml': 'data: {{ (.Files.Glob "docs/*").AsConfig }}\n' };
  await expect(digestTree(chartWith({ ...pictures, ...reading }))).rejects.toThrow(
    'docs/one.png and 1 other file of the chart are Git LFS pointers',
  );
});

it('[issue 12, 2] values from a file of the chart that is a Git LFS pointer are refused with its name, also where they are optional', async () => {
  const reader = { readData: async () => undefined, fetchText: async () => undefined, readChartFile: async () => POINTER };
  const chart = { folder: '/nowhere', path: 'charts/ledger', revision: 'c1' };
  const from = [{ kind: 'chartFile', path: 'values/prod.yaml', optional: true }] as const;
  const values = resolveValues({ onBehalfOf: { namespace: 'pay', account: undefined }, chart, from, inline: {} }, reader);
  await expect(values).rejects.toThrow('values/prod.yaml of the chart is a Git LFS pointer');
});
