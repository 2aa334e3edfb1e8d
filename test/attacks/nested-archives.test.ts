import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { digestTree } from '@/server/chartsync/helm/chart-tree';
import { findHelm } from '@/server/chartsync/helm/find-helm';
import { realClock } from '@/server/platform';
import type { TarEntry } from '../support/chart-archive';
import { packTar } from '../support/chart-archive';
import { startWeb } from '../support/loopback-web';
import { temporaryFolder } from '../support/temporary-folder';

const META = 'apiVersion: v2\nname: inner\nversion: 1.0.0\n';
const record = (text: string) => {
  const rest = text.length + 2;
  return `${rest + String(rest + String(rest).length).length} ${text}\n`;
};
const SCHEMA = 'values.schema.json';

/** Ways to have Helm read another name than whoever looks at the archive before. */
const SHAPES: Readonly<Record<string, (schema: string) => readonly TarEntry[]>> = {
  plainly: (body) => [
    { name: 'inner/Chart.yaml', body: META },
    { name: `inner/${SCHEMA}`, body },
  ],
  'behind a dot in the place of the folder': (body) => [
    { name: './Chart.yaml', body: META },
    { name: `./${SCHEMA}`, body },
  ],
  'under a long name, and another one in a head': (body) => [
    { name: 'inner/Chart.yaml', body: META },
    { name: '././@LongLink', type: 'L', body: `inner/${SCHEMA}\0` },
    { name: 'pax', type: 'x', body: record('path=inner/README.md') },
    { name: 'inner/short', body },
  ],
  'behind a name that a head of all takes away': (body) => [
    { name: 'inner/Chart.yaml', body: META },
    { name: '././@LongLink', type: 'L', body: 'inner/README.md\0' },
    { name: 'pax', type: 'g', body: record('comment=x') },
    { name: `inner/${SCHEMA}`, body },
  ],
  'behind a head that another one takes away': (body) => [
    { name: 'inner/Chart.yaml', body: META },
    { name: 'pax', type: 'x', body: record('path=inner/README.md') },
    { name: 'pax', type: 'x', body: record('comment=x') },
    { name: `inner/${SCHEMA}`, body },
  ],
  'under an empty name in its head': (body) => [
    { name: 'inner/Chart.yaml', body: META },
    { name: 'pax', type: 'x', body: record('path=') },
    { name: `inner/${SCHEMA}`, body },
  ],
  'as a sparse file': (body) => [
    { name: 'inner/Chart.yaml', body: META },
    {
      name: 'pax',
      type: 'x',
      body: ['major=1', 'minor=0', `name=inner/${SCHEMA}`, `realsize=${body.length}`].map((text) => record(`GNU.sparse.${text}`)).join(''),
    },
    { name: 'inner/README.md', body: `1\n0\n${body.length}\n`.padEnd(512, '\0') + body },
  ],
};

function chartWith(entries: readonly TarEntry[]): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'charts'));
  writeFileSync(path.join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: outer\nversion: 1.0.0\n');
  writeFileSync(path.join(folder, 'charts', 'inner-1.0.0.tgz'), packTar(entries));
  return folder;
}

it.each(Object.keys(SHAPES))(
  '[issue 12, 5] a schema for which Helm goes out is found in an archive within a chart that holds it %s',
  async (shape) => {
    const entriesOf = SHAPES[shape] ?? (() => []);
    const helm = await findHelm({ named: undefined, clock: realClock, signal: new AbortController().signal });
    if (helm.kind !== 'found') throw new Error(helm.why);
    await using web = await startWeb((_request, answer) => void answer.end('{}'));
    const hostile = chartWith(entriesOf(JSON.stringify({ $ref: `http://127.0.0.1:${web.port}/asked` })));
    // Helm goes for it: what is refused is no harmless shape.
    await promisify(execFile)(helm.command, ['template', 'x', hostile]).catch(() => undefined);
    expect(web.seen.map((request) => request.path)).toContain('/asked');
    await expect(digestTree(hostile)).rejects.toMatchObject({ message: expect.stringMatching(/refers to|is rejected/) });
  },
);

it('[issue 12, 5] an archive within a chart that has a schema of its own is taken', async () => {
  const shapes = [SHAPES.plainly, SHAPES['behind a dot in the place of the folder']];
  for (const entriesOf of shapes)
    await expect(digestTree(chartWith(entriesOf?.('{"type":"object"}') ?? []))).resolves.toMatch(/^chart-tree /);
});
