import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packChart } from '../../support/chart-archive';
import type { LoopbackWeb } from '../../support/loopback-web';
import type { Offered } from './pulled-rig';
import { BASIC, indexOf, LOOK_MS, open, sha256, web } from './pulled-rig';

describe('a Helm repository', () => {
  it('[X-SRC-2] is asked for its index once, for the archive of a version once, and for a range again when its time is over', async () => {
    const offered: Offered[] = [{ version: '1.0.0', bytes: packChart('ledger', '1.0.0', { 'values.yaml': 'a: 1\n' }) }];
    const repository = await web((asked, answer) => {
      if (asked === '/stable/index.yaml') return answer.end(indexOf(offered));
      const found = offered.find(({ version }) => asked === `/stable/ledger-${version}.tgz`);
      return found ? answer.end(found.bytes) : answer.writeHead(404).end();
    });
    const { pull, pass } = open();
    const at = `https://charts.test:${repository.port}/stable`;
    const [one, other, ranged] = await Promise.all([pull(at, '1.0.0'), pull(at, '1.0.0'), pull(at, '^1.0.0')]);
    expect([one, ranged]).toEqual([other, other]);
    expect(one).toMatchObject({ path: 'ledger', revision: '1.0.0' });
    expect(readFileSync(path.join(one.folder, 'values.yaml'), 'utf8')).toBe('a: 1\n');
    expect(repository.seen.map(({ path: asked, headers }) => [asked, headers.authorization])).toEqual([
      ['/stable/index.yaml', BASIC],
      ['/stable/ledger-1.0.0.tgz', BASIC],
    ]);
    offered.push({ version: '1.1.0', bytes: packChart('ledger', '1.1.0') });
    expect((await pull(at, '^1.0.0')).revision).toBe('1.0.0');
    pass(LOOK_MS + 1);
    expect((await pull(at, '^1.0.0')).revision).toBe('1.1.0');
    await pull(at, '1.0.0');
    expect(repository.seen.length).toBe(4);
  });

  it('[X-SRC-2] that changes the archive of a version is noticed when its time is over, also where its index gives no digest', async () => {
    const offered: Offered[] = [{ version: '1.0.0', bytes: packChart('ledger', '1.0.0', { 'values.yaml': 'a: 1\n' }) }];
    const repository = await web((asked, answer) => answer.end(asked === '/index.yaml' ? indexOf(offered) : offered[0]?.bytes));
    const { pull, pass } = open();
    const at = `https://charts.test:${repository.port}`;
    const read = async () => readFileSync(path.join((await pull(at, '1.0.0')).folder, 'values.yaml'), 'utf8');
    expect(await read()).toBe('a: 1\n');
    for (const [digest, text] of [
      [undefined, 'a: 2\n'],
      [null, 'a: 3\n'],
      [null, 'a: 4\n'],
    ] as const) {
      const bytes = packChart('ledger', '1.0.0', { 'values.yaml': text });
      offered[0] = { version: '1.0.0', bytes, ...(digest === null ? { digest } : {}) };
      expect(await read()).not.toBe(text);
      pass(LOOK_MS + 1);
      expect([await read(), (await pull(at, '1.0.0')).digest]).toEqual([text, sha256(bytes)]);
    }
    const { length } = repository.seen;
    pass(LOOK_MS + 1);
    expect(await read()).toBe('a: 4\n');
    expect(repository.seen.length).toBe(length + 2); // without a digest the archive itself is looked at
  });

  it('[issue 12.3] that cannot be asked is taken to have what it had for a version that was named, and not for a range', async () => {
    const bytes = packChart('ledger', '1.0.0');
    let isOut = false;
    const repository = await web((asked, answer) => {
      if (isOut) answer.writeHead(503).end();
      else answer.end(asked === '/index.yaml' ? indexOf([{ version: '1.0.0', bytes }]) : bytes);
    });
    const { pull, pass } = open();
    const at = `https://charts.test:${repository.port}`;
    const [exact] = await Promise.all([pull(at, '1.0.0'), pull(at, '^1.0.0')]);
    isOut = true;
    pass(LOOK_MS + 1);
    expect(await pull(at, '1.0.0')).toEqual(exact);
    await expect(pull(at, '^1.0.0')).rejects.toThrow('the index of the repository could not be fetched');
    const { length } = repository.seen;
    await expect(pull(at, '^1.0.0')).rejects.toThrow('answered 503');
    expect(repository.seen.length).toBe(length);
    isOut = false;
    pass(10_001);
    expect((await pull(at, '^1.0.0')).folder).toBe(exact.folder);
  });

  it('[issue 12, 5] with a bad archive has it fetched again after a rest that grows, and at once where it is another', async () => {
    const offered: Offered[] = [{ version: '1.0.0', bytes: packChart('books', '1.0.0') }];
    const repository = await web((asked, answer) => answer.end(asked === '/index.yaml' ? indexOf(offered) : offered[0]?.bytes));
    const { pull, pass } = open();
    const at = `https://charts.test:${repository.port}`;
    const archives = () => repository.seen.filter(({ path: asked }) => asked.endsWith('.tgz')).length;
    const fails = () => expect(pull(at, '1.0.0')).rejects.toThrow('contains another chart');
    for (const [ms, times] of [
      [0, 1],
      [30_000, 1],
      [31_000, 2],
      [61_000, 2],
      [61_000, 3],
    ] as const) {
      pass(ms);
      await fails();
      expect(archives()).toBe(times);
    }
    offered[0] = { version: '1.0.0', bytes: packChart('ledger', '1.0.0') };
    pass(LOOK_MS + 1);
    expect((await pull(at, '1.0.0')).revision).toBe('1.0.0');
  });

  it('[issue 12, 5] is believed only what its digest says, of the chart that was requested', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const wrong = packChart('books', '1.0.0');
    const offered: Offered[] = [
      { version: '1.0.0', bytes, digest: 'a'.repeat(64) },
      { version: '1.1.0', bytes: wrong, url: 'wrong.tgz' },
      { version: '1.2.0', bytes, url: 'wrong-version.tgz' },
    ];
    const repository = await web((asked, answer) => {
      if (asked === '/index.yaml') answer.end(indexOf(offered));
      else answer.end(asked === '/wrong.tgz' ? wrong : bytes);
    });
    const { pull, folder } = open();
    const at = `https://charts.test:${repository.port}`;
    await expect(pull(at, '1.0.0')).rejects.toThrow(
      'the archive of version 1.0.0 is not what the index of the repository says: its digest differs',
    );
    await expect(pull(at, '1.1.0')).rejects.toThrow('the archive of chart ledger 1.1.0 contains another chart');
    await expect(pull(at, '1.2.0')).rejects.toThrow('the archive of chart ledger 1.2.0 contains another chart');
    await expect(pull(at, '2.0.0')).rejects.toThrow('the repository has no version of chart ledger for "2.0.0"');
    expect(readdirSync(path.join(folder, 'pulled'))).toEqual([]);
  });

  it('[issue 12, 5] that names another place for its archives has its credentials sent nowhere else', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const other = await web((_, answer) => answer.end(bytes));
    const repository = await web((_, answer) => answer.end(indexOf(offered)));
    const elsewhere = `https://other.test:${other.port}/ledger.tgz`;
    const offered: Offered[] = [
      { version: '1.0.0', bytes, url: elsewhere },
      { version: '1.1.0', bytes, url: elsewhere, digest: null },
    ];
    const { pull } = open();
    const at = `https://charts.test:${repository.port}`;
    // Its authority, too, was given for the repository alone, so that the other place is not trusted.
    await expect(pull(at, '1.0.0')).rejects.toThrow(`other.test:${other.port} could not be reached`);
    await expect(pull(at, '1.1.0')).rejects.toThrow(
      'has no digest for version 1.1.0, which requires its archive to be on the same host, over https',
    );
    expect(other.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('[issue 12, 5] is an http, https or oci address, and one with credentials over https', async () => {
    const { pull } = open();
    await expect(pull('file:///srv/charts', '1.0.0')).rejects.toThrow('a chart repository must begin with https://, http:// or oci://');
    await expect(pull('http://charts.test/', '1.0.0')).rejects.toThrow('credentials are sent over https only');
    await expect(pull('https://ann:x@charts.test/', '1.0.0')).rejects.toThrow(
      'an address must not contain credentials: put them into a Secret',
    );
    await expect(pull('https://charts.test/', '1.0.0')).rejects.toThrow('charts.test resolves to a loopback or link-local address');
    await expect(pull('https://charts.test/', '1.0.0', { name: '' })).rejects.toThrow('a chart in a repository needs a name');
  });
});

describe('a registry', () => {
  const CONFIG = 'application/vnd.cncf.helm.config.v1+json';
  const ARCHIVE = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
  const manifestOf = (bytes: Buffer, config = CONFIG) =>
    Buffer.from(
      JSON.stringify({
        config: { mediaType: config },
        layers: [{ mediaType: ARCHIVE, digest: `sha256:${sha256(bytes)}`, size: bytes.byteLength }],
      }),
    );

  it('[X-SRC-2] changes credentials into a token, and has a tag by its digest: a tag that was moved is another revision', async () => {
    let bytes = packChart('ledger', '1.0.0');
    const registry: LoopbackWeb = await web((asked, answer, authorization) => {
      const realm = `Bearer realm="https://charts.test:${registry.port}/token",service="charts",scope="repository:team/ledger:pull"`;
      if (asked.startsWith('/token')) return authorization === BASIC ? answer.end('{"token":"t0k3n"}') : answer.writeHead(401).end();
      if (authorization !== 'Bearer t0k3n') return answer.writeHead(401, { 'www-authenticate': realm }).end();
      if (asked === '/v2/team/ledger/manifests/1.0.0') return answer.end(manifestOf(bytes));
      return asked === `/v2/team/ledger/blobs/sha256:${sha256(bytes)}` ? answer.end(bytes) : answer.writeHead(404).end();
    });
    const { pull, pass } = open();
    const at = `oci://charts.test:${registry.port}/team`;
    const first = await pull(at, '1.0.0');
    expect(first.revision).toBe(`1.0.0+${sha256(manifestOf(bytes)).slice(0, 12)}`);
    expect(registry.seen.find(({ path: asked }) => asked.startsWith('/token'))?.path).toBe(
      '/token?service=charts&scope=repository%3Ateam%2Fledger%3Apull',
    );
    expect((await pull(at, '1.0.0')).folder).toBe(first.folder);
    bytes = packChart('ledger', '1.0.0', { 'values.yaml': 'moved: true\n' });
    pass(LOOK_MS + 1);
    const second = await pull(at, '1.0.0');
    expect(second.revision).not.toBe(first.revision);
    expect(readFileSync(path.join(second.folder, 'values.yaml'), 'utf8')).toBe('moved: true\n');
    await expect(pull(at, '3.0.0')).rejects.toThrow('the registry has no chart ledger 3.0.0');
  });

  it('[issue 12, 5] that sends to another host for a token gets no credentials there, and neither does where its archives lie', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const other = await web((_, answer) => answer.writeHead(401).end());
    const registry = await web((_, answer, authorization) => {
      if (authorization === undefined)
        answer.writeHead(401, { 'www-authenticate': `Bearer realm="https://other.test:${other.port}/token"` }).end();
      else answer.end();
    });
    const basic = await web((asked, answer, authorization) => {
      if (authorization !== BASIC) answer.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else if (asked.includes('/manifests/')) answer.end(manifestOf(bytes));
      else answer.writeHead(307, { location: `https://other.test:${other.port}/blob` }).end();
    });
    const { pull } = open();
    await expect(pull(`oci://charts.test:${registry.port}/team`, '1.0.0')).rejects.toThrow(`other.test:${other.port} could not be reached`);
    await expect(pull(`oci://charts.test:${basic.port}/team`, '1.0.0')).rejects.toThrow(`other.test:${other.port} could not be reached`);
    expect([...registry.seen, ...other.seen].filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('[issue 12, 5] is believed only what digests say, and only of charts', async () => {
    const bytes = packChart('ledger', '1.0.0');
    const registry = await web((asked, answer) => {
      if (asked.endsWith('/manifests/1.0.0')) return answer.end(manifestOf(bytes));
      if (asked.endsWith('/manifests/2.0.0'))
        return answer.writeHead(200, { 'docker-content-digest': `sha256:${'a'.repeat(64)}` }).end(manifestOf(bytes));
      if (asked.endsWith('/manifests/3.0.0')) return answer.end(manifestOf(bytes, 'application/vnd.oci.image.config.v1+json'));
      return answer.end(packChart('ledger', '1.0.0', { evil: 'yes' }));
    });
    const { pull } = open();
    const at = `oci://charts.test:${registry.port}/team`;
    await expect(pull(at, '1.0.0')).rejects.toThrow('the archive of the chart is not what its manifest says: its digest differs');
    await expect(pull(at, '2.0.0')).rejects.toThrow('is not what the registry says: its digest differs');
    await expect(pull(at, '3.0.0')).rejects.toThrow('ledger 3.0.0 in the registry is not a Helm chart');
    for (const repository of [
      'oci://',
      'oci://charts.test/Team',
      'oci://charts.test/a/../b',
      'oci://ann@charts.test/team',
      'oci://charts.test/team?x',
    ])
      await expect(pull(repository, '1.0.0')).rejects.toThrow('a chart of a registry needs oci://HOST/PATH in lower case');
  });

  it('[X-SRC-2] is asked page by page for the versions of a range, and never at another host', async () => {
    const bytes = packChart('ledger', '1.2.0+build.1');
    const other = await web((_, answer) => answer.end('{"tags":["9.0.0"]}'));
    const registry = await web((asked, answer) => {
      if (asked === '/v2/team/ledger/tags/list?n=1000')
        return answer
          .writeHead(200, { link: `<https://other.test:${other.port}/v2/x/tags/list?last=b>; rel="next"` })
          .end('{"tags":["1.0.0","latest"]}');
      if (asked === '/v2/team/ledger/tags/list?last=b') return answer.end('{"tags":["1.2.0_build.1","2.0.0"]}');
      return answer.end(asked.endsWith('/manifests/1.2.0_build.1') ? manifestOf(bytes) : bytes);
    });
    const { pull } = open();
    expect((await pull(`oci://charts.test:${registry.port}/team`, '^1.0.0')).revision).toMatch(/^1\.2\.0\+build\.1\+[0-9a-f]{12}$/);
    expect(other.seen).toEqual([]);
  });

  it('[issue 12, 5] with more tags than are looked through is not believed to have its newest among the first', async () => {
    const tags = Array.from({ length: 20_001 }, (_, at) => `1.0.${at}`);
    const [large, endless] = [
      await web((_, answer) => answer.end(JSON.stringify({ tags }))),
      await web((_, answer) => answer.writeHead(200, { link: '</v2/team/ledger/tags/list?last=a>; rel="next"' }).end('{"tags":["1.0.0"]}')),
    ];
    const { pull } = open();
    for (const { port } of [large, endless])
      await expect(pull(`oci://charts.test:${port}/team`, '^1.0.0')).rejects.toThrow(
        'team/ledger lists more tags than are read (20,000 on 20 pages), so its newest version is unknown; name a version',
      );
    expect(endless.seen).toHaveLength(20);
  });
});
