import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Outbound, readPolicy } from '@/server/outbound';
import { nextStep } from '@/server/outbound/redirect';
import { realClock } from '@/server/platform';
import { makeCertificate } from '../../support/loopback-certificate';
import type { LoopbackWeb } from '../../support/loopback-web';
import { startWeb } from '../../support/loopback-web';
import { until } from '../../support/until';
import { use } from '../../support/use';

const NEVER = new AbortController().signal;
const CANARY = 'Bearer canary-1f9d';
const certificate = makeCertificate(['good.test', 'other.test', '127.0.0.1']);

async function web(...args: Parameters<typeof startWeb>): Promise<LoopbackWeb> {
  return use(await startWeb(...args));
}

interface Way {
  readonly allow?: readonly string[];
  readonly names?: Readonly<Record<string, readonly string[]>>;
}

/** A client for which the names of tests are this machine, unless they are said to be elsewhere. */
function clientOf({ allow = [], names = {} }: Way = {}): Outbound {
  const lookup = async (host: string) => names[host] ?? ['127.0.0.1'];
  return new Outbound({ policy: readPolicy(allow.join(',')), clock: realClock, lookup });
}

const request = { maxBytes: 1000, timeoutMs: 5000, signal: NEVER };
const redirectTo = (answer: ServerResponse, location: string, status = 302) => answer.writeHead(status, { location }).end();

describe('what is fetched', () => {
  it('[issue 12, 5] comes from a host that is listed, as its name says it', async () => {
    const good = await web((_, answer) => answer.end('hello'));
    const answer = await clientOf({ allow: [`good.test:${good.port}`] }).get(`http://good.test:${good.port}/a?b=1`, request);
    expect([answer.status, answer.body.toString()]).toEqual([200, 'hello']);
    expect(good.seen).toMatchObject([{ path: '/a?b=1', headers: { host: `good.test:${good.port}` } }]);
  });

  it('[issue 12, 5] is refused before any connection where it is not listed', async () => {
    const good = await web((_, answer) => answer.end('hello'));
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      'localhost',
      'good.test',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ])
      await expect(clientOf().get(`http://${host}:${good.port}/`, request)).rejects.toThrow('resolves to a loopback or link-local address');
    await expect(clientOf().get(`http://0.0.0.0:${good.port}/`, request)).rejects.toThrow('is not a host address');
    expect(good.seen).toEqual([]);
  });

  it('[issue 12, 5] is connected to as it was looked up: a name that changes afterwards changes nothing', async () => {
    const good = await web((_, answer) => answer.end('good'));
    const evil = await web((_, answer) => answer.end('evil'), { address: '127.0.0.2', port: good.port });
    let asked = 0;
    const lookup = async () => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2'];
    const client = new Outbound({ policy: readPolicy(`127.0.0.1/32:${good.port}`), clock: realClock, lookup });
    expect((await client.get(`http://rebind.test:${good.port}/`, request)).body.toString()).toBe('good');
    await expect(client.get(`http://rebind.test:${good.port}/`, request)).rejects.toThrow('resolves to a loopback');
    expect([asked, good.seen.length, evil.seen.length]).toEqual([2, 1, 0]);
  });

  it('[issue 12, 5] is tried at those addresses of a name that may be connected to, and at no other', async () => {
    const good = await web((_, answer) => answer.end('good'));
    const evil = await web((_, answer) => answer.end('evil'), { address: '127.0.0.2', port: good.port });
    const client = clientOf({ allow: [`127.0.0.1:${good.port}`], names: { 'both.test': ['127.0.0.2', '169.254.169.254', '127.0.0.1'] } });
    expect((await client.get(`http://both.test:${good.port}/`, request)).body.toString()).toBe('good');
    expect(evil.seen).toEqual([]);
  });

  it('[issue 12, 5] goes through no proxy, whatever the environment says', async () => {
    const proxy = await web((_, answer) => answer.end('by a proxy'));
    const good = await web((_, answer) => answer.end('itself'));
    const former = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
    try {
      expect((await clientOf({ allow: [`good.test:${good.port}`] }).get(`http://good.test:${good.port}/`, request)).body.toString()).toBe(
        'itself',
      );
    } finally {
      if (former === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = former;
    }
  });

  it.each(['ftp://good.test/', 'file:///etc/passwd', 'gopher://good.test/', 'data:,x', '/etc/passwd', 'ext::sh -c id', ''])(
    '[issue 12, 5] has an http or https address: not %j',
    async (address) => {
      await expect(clientOf().get(address, request)).rejects.toThrow('an address must begin with https:// or http://');
    },
  );

  it('[issue 12, 5] has no credentials in its address, and those of a Secret go over https only', async () => {
    await expect(clientOf().get('https://ann:hunter2@good.test/', request)).rejects.toThrow(/^an address must not contain credentials/);
    await expect(clientOf().get('http://good.test/', { ...request, authorization: CANARY })).rejects.toThrow(
      'credentials are sent over https only',
    );
  });
});

describe('a certificate', () => {
  it('[issue 12, 5] is of an authority that is trusted, and of the host that was requested', async () => {
    const good = await web((_, answer) => answer.end('hello'), { certificate });
    const at = (host: string) => `https://${host}:${good.port}/`;
    const client = clientOf({ allow: [`127.0.0.1:${good.port}`] });
    await expect(client.get(at('good.test'), request)).rejects.toThrow(
      /could not be reached \((UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)\)/,
    );
    await expect(client.get(at('third.test'), { ...request, ca: certificate.ca })).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID');
    expect((await client.get(at('good.test'), { ...request, ca: certificate.ca })).body.toString()).toBe('hello');
    expect((await client.get(at('127.0.0.1'), { ...request, ca: certificate.ca })).body.toString()).toBe('hello');
  });

  it('[issue 12, 5] is wanted whatever the environment says', async () => {
    const good = await web((_, answer) => answer.end('hello'), { certificate });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      await expect(clientOf({ allow: [`good.test:${good.port}`] }).get(`https://good.test:${good.port}/`, request)).rejects.toThrow(
        'could not be reached',
      );
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });
});

describe('redirects', () => {
  it('[issue 12, 5] are followed five times, and not a sixth', async () => {
    const chain = await web((asked, answer) => {
      const left = Number(asked.url?.slice(1));
      if (left === 0) answer.end('there');
      else redirectTo(answer, `/${left - 1}`, [301, 302, 303, 307, 308][left % 5]);
    });
    const client = clientOf({ allow: [`good.test:${chain.port}`] });
    expect((await client.get(`http://good.test:${chain.port}/5`, request)).body.toString()).toBe('there');
    await expect(client.get(`http://good.test:${chain.port}/6`, request)).rejects.toThrow('redirects more than 5 times');
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/', 'resolves to a loopback or link-local address'],
    ['http://[fd00:ec2::254]/', 'resolves to a loopback or link-local address'],
    ['http://127.0.0.1:1/', 'resolves to a loopback or link-local address'],
    ['http://intern.test/', 'resolves to a private address'],
    ['//intern.test/', 'resolves to a private address'],
    ['http://0.0.0.0/', 'is not a host address'],
    ['file:///etc/passwd', 'an address must begin with https:// or http://'],
    ['ftp://good.test/', 'an address must begin with https:// or http://'],
    ['http://ann:hunter2@good.test/', 'an address must not contain credentials: put them into a Secret'],
    ['http://[', 'redirects to something that is not an address'],
  ])('[issue 12, 5] are judged like any address: %s', async (location, sentence) => {
    const good = await web((_, answer) => redirectTo(answer, location));
    const client = clientOf({ allow: [`good.test:${good.port}`], names: { 'intern.test': ['10.0.0.1'] } });
    await expect(client.get(`http://good.test:${good.port}/`, request)).rejects.toThrow(sentence);
    expect(good.seen.length).toBe(1);
  });

  it('[issue 12, 5] lead from http to https, and never back', async () => {
    const plain = await web((_, answer) => answer.end('plain'));
    const safe = await web((_, answer) => redirectTo(answer, `http://good.test:${plain.port}/`), { certificate });
    const client = clientOf({ allow: [`good.test:${plain.port}`, `good.test:${safe.port}`] });
    await expect(client.get(`https://good.test:${safe.port}/`, { ...request, ca: certificate.ca })).rejects.toThrow(
      'redirects from https to http',
    );
    expect(plain.seen).toEqual([]);
  });

  it('[issue 12, 5] take no credentials along to another origin', async () => {
    const other = await web((_, answer) => answer.end('other'), { certificate });
    const first = await web((asked, answer) => redirectTo(answer, asked.url === '/same' ? '/away' : `https://good.test:${other.port}/`), {
      certificate,
    });
    const client = clientOf({ allow: [`127.0.0.1:${first.port}`, `127.0.0.1:${other.port}`] });
    const asked = { ...request, authorization: CANARY, ca: certificate.ca };
    // The other one is judged by the authorities of the system, which do not know it: the authority, too, was given for one origin.
    await expect(client.get(`https://good.test:${first.port}/same`, asked)).rejects.toThrow('could not be reached');
    expect(first.seen.map(({ headers }) => headers.authorization)).toEqual([CANARY, CANARY]);
  });

  it('[issue 12, 5] give credentials back to no origin that was left', () => {
    const first = { url: new URL('https://good.test/a'), authorization: CANARY, ca: certificate.ca };
    expect(nextStep(first, '/b')).toMatchObject({ authorization: CANARY, ca: certificate.ca });
    for (const away of ['https://other.test/', 'https://good.test:8443/', 'https://sub.good.test/', 'https://good.test.evil.test/']) {
      const second = nextStep(first, away);
      expect(second).toMatchObject({ authorization: undefined, ca: undefined });
      expect(nextStep(second, 'https://good.test/b')).toMatchObject({ authorization: undefined, ca: undefined });
    }
  });
});

describe('a body', () => {
  const serve = async (listener: Parameters<typeof startWeb>[0]) => {
    const good = await web(listener);
    return {
      good,
      get: (more: object = {}) =>
        clientOf({ allow: [`good.test:${good.port}`] }).get(`http://good.test:${good.port}/`, { ...request, ...more }),
    };
  };

  it('[issue 12, 5] without an end is read to the limit, and the connection ends', async () => {
    const { good, get } = await serve((_, answer) => {
      const write = () => {
        while (!answer.destroyed && answer.write('x'.repeat(1024))) {}
      };
      answer.on('drain', write);
      write();
    });
    await expect(get()).rejects.toThrow('is larger than 1000 bytes');
    await until('the connection has ended', () => good.open() === 0);
  });

  it('[issue 12, 5] that says it is too large is not read at all', async () => {
    const { good, get } = await serve((_, answer) => answer.writeHead(200, { 'content-length': '1001' }).write('x'));
    await expect(get()).rejects.toThrow('is larger than 1000 bytes');
    await until('the connection has ended', () => good.open() === 0);
  });

  it('[issue 12, 5] that drips ends with the time there is', async () => {
    const { good, get } = await serve((_, answer) => {
      const timer = setInterval(() => answer.write('x'), 20);
      answer.on('close', () => clearInterval(timer));
    });
    await expect(get({ timeoutMs: 300 })).rejects.toThrow('took longer than 0.3 s');
    await until('the connection has ended', () => good.open() === 0);
  });

  it('[issue 12, 5] whose head never comes ends with the time there is, and so does a name that nobody answers for', async () => {
    const { good, get } = await serve(() => undefined);
    await expect(get({ timeoutMs: 200 })).rejects.toThrow('took longer than 0.2 s');
    await until('the connection has ended', () => good.open() === 0);
    const silent = new Outbound({ policy: readPolicy(''), clock: realClock, lookup: () => new Promise(() => undefined) });
    await expect(silent.get('https://good.test/', { ...request, timeoutMs: 100 })).rejects.toThrow('took longer than 0.1 s');
  });

  it('[issue 12, 5] that is packed counts as what it unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { good, get } = await serve((_, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    await expect(get({ maxBytes: 1_000_000 })).rejects.toThrow('is larger than 1000000 bytes');
    await until('the connection has ended', () => good.open() === 0);
    const { get: getPacked } = await serve((_, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')));
    expect((await getPacked()).body.toString()).toBe('hello');
    const { get: getBroken } = await serve((_, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end('hello'));
    await expect(getBroken()).rejects.toThrow('could not be read completely');
    const { get: getOther } = await serve((_, answer) => answer.writeHead(200, { 'content-encoding': 'br' }).end('hello'));
    await expect(getOther()).rejects.toThrow('is encoded as "br", which was not asked for');
  });

  it('[issue 12, 5] that is cut short is an error and not half an answer', async () => {
    const { get } = await serve((_, answer) => {
      answer.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => answer.destroy());
    });
    await expect(get()).rejects.toThrow(/could not be read completely|is incomplete/);
  });

  it('[issue 12, 5] of an abort ends at once, for its reason', async () => {
    const { good, get } = await serve((_, answer) => answer.write('x'));
    const ending = new AbortController();
    const asked = get({ signal: ending.signal });
    await until('it is being read', () => good.seen.length === 1);
    ending.abort(new Error('the lease is lost'));
    await expect(asked).rejects.toThrow('the lease is lost');
    await until('the connection has ended', () => good.open() === 0);
  });

  it('[issue 12, 5] of a refusal is not read, and the status is the answer', async () => {
    const { get } = await serve((_, answer) => answer.writeHead(404).end('x'.repeat(5000)));
    expect(await get()).toMatchObject({ status: 404, body: Buffer.alloc(0) });
    const { get: getHead } = await serve((_, answer) => answer.writeHead(200, { 'x-long': 'x'.repeat(40_000) }).end());
    await expect(getHead()).rejects.toThrow('HPE_HEADER_OVERFLOW');
  });
});
