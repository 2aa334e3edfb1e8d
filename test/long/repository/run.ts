import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { walkLargeRepository } from '../../support/large-repository-walk';

const TABLE = 'docs/measured/repository.md';
const COMMITS = 50_000;
const MEGABYTES = 2048;
/** The limits that the server has where nobody sets others. */
const LIMITS: Readonly<Record<string, number>> = { clone: 600_000, 'fetch of 20 commits': 120_000 };

/** Mirrors a repository of 2 GB as chart sync does, and tells how long each step took. */
export async function testRepository(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { commits: { type: 'string' }, megabytes: { type: 'string' } } });
  const [commits, megabytes] = [Number(values.commits ?? COMMITS), Number(values.megabytes ?? MEGABYTES)];
  const { steps, bytes, found, added, exported } = await walkLargeRepository({ commits, bytes: megabytes * 1024 * 1024 });
  const isRight = found[0] === added && exported.includes('Chart.yaml');
  const rows = steps.map(({ what, ms }) => ({ what, ms, limit: LIMITS[what] }));
  const text = [
    '# A large repository of charts',
    '',
    'Made by `npm run test:long -- repository`: what mirroring it takes, step by step, as chart sync does it.',
    '',
    `${commits} commits, ${Math.round(bytes / 1024 / 1024)} MB in packs; what was found of the chart was ${isRight ? 'right' : 'wrong'}.`,
    '',
    '| step | seconds | limit |',
    '| --- | --- | --- |',
    ...rows.map(({ what, ms, limit }) => `| ${what} | ${(ms / 1000).toFixed(1)} | ${limit === undefined ? '–' : limit / 1000} |`),
    '',
  ].join('\n');
  console.log(text);
  await mkdir(path.dirname(TABLE), { recursive: true });
  await writeFile(TABLE, text);
  return isRight && rows.every(({ ms, limit }) => limit === undefined || ms <= limit);
}
