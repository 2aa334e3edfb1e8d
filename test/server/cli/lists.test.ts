import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';
import { applicationRows } from '../../support/fixture/applications';
import { backFrom } from '../../support/fixture/times';
import { fixtureTree } from '../../support/fixture/tree';

const back = backFrom(Date.UTC(2026, 10, 20, 9, 30));
const rows = applicationRows(back);
const LISTED: Readonly<Record<string, typeof rows>> = { '/api/v1/applications': rows };

/** The namespaces that the server limits its answers to. */
let within: { readonly count: number; readonly names: readonly string[] } | undefined;
/** Those that it limits releases of the older kind to. */
let olderWithin: typeof within;
/** The server answers with so many rows of a list at a time; all of them unless it is given. */
let most = Number.POSITIVE_INFINITY;

async function run(...args: readonly string[]) {
  const printed: string[] = [];
  const asked: URL[] = [];
  const warned: string[] = [];
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: async (input) => {
      const url = new URL(String(input));
      if (url.pathname === '/api/v1/session')
        return Response.json({ user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: back(-60) });
      asked.push(url);
      const lines = url.pathname === '/api/v1/rows' ? [...fixtureTree(30).lines.page({}).rows.values()] : (LISTED[url.pathname] ?? []);
      const freshness = { observedAt: back(0), source: 'watch', stale: null };
      const from = Number(url.searchParams.get('page') ?? 0) * most || 0;
      const page = lines.slice(from, from + most);
      return Response.json({
        seq: { bootId: 'b', seq: 1 },
        freshness,
        total: lines.length,
        order: page.map(({ key }) => key),
        rows: page,
        within,
        olderWithin,
      });
    },
    stdin: Readable.from(['']),
    warn: (text) => warned.push(text),
    fail: () => undefined,
  });
  await program.parseAsync([...args, '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
  return { text: printed.join('\n'), asked, warned };
}

describe('slipway application objects', () => {
  it('[issue 14.3] asks for the same filters as the page, and refuses what cannot be read before it asks', async () => {
    const { text, asked } = await run(
      'application',
      'objects',
      'storefront',
      '-n',
      'shop',
      '--in',
      'shop,pay',
      '-l',
      'app=web',
      '--owner',
      'ReplicaSet',
    );
    expect(asked[0]?.searchParams.get('topic')).toBe('tree/shop/storefront?ns=pay%2Cshop&labels=app%3Dweb&owner=ReplicaSet');
    expect(text).toMatch(/^KIND +NAMESPACE +NAME +STATUS +REVISION +NOW\n/);
    expect(text).toMatch(/Pod +shop +web-v4-/);
    await expect(run('application', 'objects', 'storefront', '-l', 'tier in a')).rejects.toThrow(
      '--selector: the values of tier must be in parentheses',
    );
    await expect(run('application', 'objects', 'storefront', '--status', 'Bad')).rejects.toThrow('--status: must be one of');
  });
});

describe('slipway application list', () => {
  it('[issue 14.3] asks for the same filters as the page', async () => {
    const { text, asked } = await run(
      'application',
      'list',
      '-n',
      'shop,pay',
      '-l',
      'tier in (web,db)',
      '--owner',
      'none',
      '--health',
      'Failed',
    );
    expect(asked[0]?.pathname).toBe('/api/v1/applications');
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toMatchObject({
      ns: 'shop,pay',
      labels: 'tier in (web,db)',
      owner: 'none',
      health: 'Failed',
    });
    expect(text).toMatch(/^NAMESPACE +NAME +HEALTH +ACTIVITY +REVISION +OWNER +NOW\n/);
    expect(text).toMatch(/shop +storefront +InProgress +waiting +storefront-v3 +Kustomization\/flux-system\/apps +The gate/);
  });

  it('[issue 14.3] refuses a selector that cannot be read before it asks', async () => {
    await expect(run('application', 'list', '-l', 'tier in a')).rejects.toThrow(
      '--selector: the values of tier must be in parentheses, such as (a,b), found "a"',
    );
  });

  it.each<[string, readonly string[]]>([
    ['applications', ['application', 'list']],
    ['rollouts', ['rollout', 'list']],
    ['releases', ['releases']],
  ])('[issue 14.3] the list of %s tells beside the rows which namespaces they are of, unless these were named', async (noun, command) => {
    within = { count: 7, names: ['pay', 'shop'] };
    const list = (...args: readonly string[]) => run(...command, ...args);
    const [all, named] = [await list(), await list('-n', 'shop')];
    within = undefined;
    expect(all.warned).toEqual([`you may see ${noun} only in 7 namespaces, such as pay and shop`]);
    expect(named.warned).toEqual([]);
  });

  it('[issue 12.4] the list of releases tells beside the rows which sort of them is left out, by which right', async () => {
    olderWithin = { count: 0, names: [] };
    const { warned } = await run('releases');
    olderWithin = undefined;
    expect(warned).toEqual([
      'releases that HelmReleases.flux.weave.works declare are not listed: they require the right "list" on helmreleases.flux.weave.works',
    ]);
  });

  it('[issue 12.4] the list of releases of one namespace tells nothing of what is hidden in others', async () => {
    olderWithin = { count: 1, names: ['shop'] };
    const [shop, pay] = [await run('releases', '-n', 'shop'), await run('releases', '-n', 'pay')];
    olderWithin = undefined;
    expect([shop.warned.length, pay.warned.length]).toEqual([0, 1]);
  });

  it('[issue 14.3] tells every row, page by page, with the same filters on each', async () => {
    most = 2;
    const { text, asked } = await run('application', 'list', '--owner', 'none').finally(() => {
      most = Number.POSITIVE_INFINITY;
    });
    const pages = Math.ceil(rows.length / 2);
    expect(pages).toBeGreaterThan(1);
    expect(asked.map(({ searchParams }) => [searchParams.get('page'), searchParams.get('owner')])).toEqual(
      Array.from({ length: pages }, (_one, at) => [String(at), 'none']),
    );
    for (const { name } of rows) expect(text).toContain(name);
  });
});
