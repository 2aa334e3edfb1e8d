import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGitAddress } from '@/server/chartsync/git/address';
import { BinaryRepository } from '@/server/chartsync/git/binary-repository';
import { readCredentials } from '@/server/chartsync/git/credentials';
import { GitBinary } from '@/server/chartsync/git/git-binary';
import { GitConnections } from '@/server/chartsync/git/git-connection';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { ChartRepository } from '../../support/chart-repository';
import { startGitHttps } from '../../support/git-https';
import { makeSshKey, startGitSsh } from '../../support/git-ssh.mjs';
import { makeCertificate } from '../../support/loopback-certificate';
import { startWeb } from '../../support/loopback-web';
import { use } from '../../support/use';

const NEVER = new AbortController().signal;
const CANARY = 'canary-5c41d2';
const certificate = makeCertificate(['git.test', '127.0.0.1']);

function aRepository() {
  const repository = use(new ChartRepository());
  return { repository, head: repository.commit({ 'charts/ledger/Chart.yaml': 'name: ledger\n' }), root: path.dirname(repository.bare) };
}

type Secret = Readonly<Record<string, string>>;

interface Mirroring {
  readonly url: string;
  readonly allow?: string;
  /** What the Secret holds at each contact; undefined for none. */
  readonly secret?: () => Secret | undefined;
  readonly addresses?: readonly string[];
}

/** A mirror for which every name is this machine, and the folder of it. */
function mirrorOf({ url, allow, secret = () => undefined, addresses = ['127.0.0.1'] }: Mirroring) {
  const folder = mkdtempSync(path.join(aRepository().root, 'mirror-'));
  use({ [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) });
  const address = readGitAddress(url, undefined);
  const { host = '', port = 0 } = address.remote ?? {};
  const outbound = new Outbound({ policy: readPolicy(allow ?? `${host}:${port}`), clock: realClock, lookup: async () => addresses });
  const readSecret = async () => {
    const data = secret();
    return data && readCredentials('Secret deploy in pay', data);
  };
  const contacts = new GitConnections({ address, outbound, readCredentials: readSecret, folder: path.join(folder, 'contacts') });
  const git = new GitBinary({ scheme: address.scheme, home: folder, clock: realClock });
  return { folder, mirror: new BinaryRepository({ address, git, contacts, folder, clock: realClock }) };
}

const basic = (username: string, password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

describe('a repository over https', () => {
  it('[issue 12, 1] is read with username and password, and with new ones from the next fetch on', async () => {
    const { repository, head, root } = aRepository();
    let password = 'first';
    let wanted = basic('ann', 'first');
    const server = use(await startGitHttps({ certificate, root, wanted: () => wanted }));
    const secret = () => ({ username: 'ann', password, 'ca.crt': certificate.ca });
    const { mirror } = mirrorOf({ url: `https://git.test:${server.port}/origin.git`, secret });
    await mirror.clone(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(head);
    wanted = basic('ann', 'second');
    const next = repository.commit({ a: '1' });
    await expect(mirror.fetch(NEVER)).rejects.toThrow('Authentication failed');
    expect(await mirror.revision('main', NEVER)).toBe(head);
    password = 'second';
    await mirror.fetch(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(next);
  });

  it('[issue 12, 1] is read with a bearer token, and by an authority that its Secret names only', async () => {
    const { head, root } = aRepository();
    const server = use(await startGitHttps({ certificate, root, wanted: () => `Bearer ${CANARY}` }));
    const url = `https://git.test:${server.port}/origin.git`;
    const { mirror } = mirrorOf({ url, secret: () => ({ bearerToken: `${CANARY}\n`, 'ca.crt': certificate.ca }) });
    await mirror.clone(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(head);
    const { mirror: untrusting } = mirrorOf({ url, secret: () => ({ bearerToken: CANARY }) });
    await expect(untrusting.clone(NEVER)).rejects.toThrow('certificate verification failed');
  });

  it('[issue 12, 5] is not contacted where its address is not listed, and contacted where it was looked up', async () => {
    const { root, head } = aRepository();
    const server = use(await startGitHttps({ certificate, root, wanted: () => undefined }));
    const url = `https://git.test:${server.port}/origin.git`;
    const { mirror: refused } = mirrorOf({ url, allow: '' });
    await expect(refused.clone(NEVER)).rejects.toThrow('git.test resolves to a loopback or link-local address');
    expect(server.seen).toEqual([]);
    // No name server knows git.test: git gets there by the address that was judged, and by that alone.
    const { mirror } = mirrorOf({ url, secret: () => ({ 'ca.crt': certificate.ca }) });
    await mirror.clone(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(head);
  });

  it('[issue 12, 5] that redirects is not followed', async () => {
    const { root } = aRepository();
    const server = use(await startGitHttps({ certificate, root, wanted: () => undefined }));
    const front = use(
      await startWeb((asked, answer) => answer.writeHead(302, { location: `https://git.test:${server.port}${asked.url}` }).end(), {
        certificate,
      }),
    );
    const { mirror } = mirrorOf({
      url: `https://git.test:${front.port}/origin.git`,
      allow: `git.test:${front.port},git.test:${server.port}`,
      secret: () => ({ 'ca.crt': certificate.ca }),
    });
    await expect(mirror.clone(NEVER)).rejects.toThrow('it redirects to another address, which is not followed; name that address instead');
    expect(server.seen).toEqual([]);
  });

  it('[issue 12, 5] that sends to another place for its objects is not followed there', async () => {
    const elsewhere = use(await startWeb((_, answer) => answer.end('x'), { certificate }));
    const files: Readonly<Record<string, string>> = {
      '/dumb.git/info/refs': `${'a'.repeat(40)}\trefs/heads/main\n`,
      '/dumb.git/HEAD': 'ref: refs/heads/main\n',
      '/dumb.git/objects/info/http-alternates': `https://git.test:${elsewhere.port}/origin.git/objects\n`,
    };
    const dumb = use(
      await startWeb(
        (asked, answer) => {
          const text = files[(asked.url ?? '').split('?')[0] ?? ''];
          if (text === undefined) answer.writeHead(404).end();
          else answer.writeHead(200, { 'content-type': 'text/plain' }).end(text);
        },
        { certificate },
      ),
    );
    const allow = `git.test:${dumb.port},git.test:${elsewhere.port}`;
    const { mirror } = mirrorOf({ url: `https://git.test:${dumb.port}/dumb.git`, allow, secret: () => ({ 'ca.crt': certificate.ca }) });
    await expect(mirror.clone(NEVER)).rejects.toThrow();
    expect(dumb.seen.map(({ path: asked }) => asked.split('?')[0])).toContain('/dumb.git/objects/info/http-alternates');
    expect(elsewhere.seen).toEqual([]);
  });

  it('[issue 12.3] that is cut off in the middle of a pack is told in words, leaves the commit that was there and nothing half-made, and is completed next time', async () => {
    const { repository, head, root } = aRepository();
    let isCut = false;
    const server = use(await startGitHttps({ certificate, root, wanted: () => undefined, cuts: () => isCut }));
    const { folder, mirror } = mirrorOf({
      url: `https://git.test:${server.port}/origin.git`,
      secret: () => ({ 'ca.crt': certificate.ca }),
    });
    const packs = () => readdirSync(path.join(folder, 'mirror.git', 'objects', 'pack')).filter((name) => name.startsWith('tmp_'));
    await mirror.clone(NEVER);
    const next = repository.commit({ 'charts/ledger/big.txt': randomBytes(400_000).toString('base64') });
    isCut = true;
    await expect(mirror.fetch(NEVER)).rejects.toThrow(
      /^the repository could not be read: the connection ended before all of it had arrived$/,
    );
    expect(await mirror.revision('main', NEVER)).toBe(head);
    const { mirror: other } = mirrorOf({ url: `https://git.test:${server.port}/origin.git`, secret: () => ({ 'ca.crt': certificate.ca }) });
    await expect(other.clone(NEVER)).rejects.toThrow('the connection ended before all of it had arrived');
    isCut = false;
    await mirror.clone(NEVER); // what follows a fetch that failed
    expect([await mirror.revision('main', NEVER), packs()]).toEqual([next, []]);
  });

  it('[issue 12, 5] goes through no proxy, whatever the environment says', async () => {
    const { head, root } = aRepository();
    const proxy = use(await startWeb((_, answer) => answer.writeHead(502).end()));
    const server = use(await startGitHttps({ certificate, root, wanted: () => undefined }));
    process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    try {
      const { mirror } = mirrorOf({ url: `https://git.test:${server.port}/origin.git`, secret: () => ({ 'ca.crt': certificate.ca }) });
      await mirror.clone(NEVER);
      expect(await mirror.revision('main', NEVER)).toBe(head);
    } finally {
      delete process.env.HTTPS_PROXY;
    }
  });
});

describe('a repository over ssh', () => {
  const hostKey = makeSshKey();
  const deployKey = makeSshKey();
  const knownHosts = (port: number, key = hostKey) => `[git.test]:${port} ${key.public}\n`;

  async function aServer(onExec?: () => Promise<void>) {
    const { repository, head, root } = aRepository();
    let accepted = deployKey.public;
    const server = use(await startGitSsh({ root, hostKey, accepts: () => accepted, ...(onExec ? { onExec } : {}) }));
    const accept = (key: string) => {
      accepted = key;
    };
    return { repository, head, server, accept, url: `ssh://git@git.test:${server.port}/origin.git` };
  }

  it('[issue 12, 1] is read with its identity from the host of its known hosts, and with a new identity from the next fetch on', async () => {
    const { repository, head, server, accept, url } = await aServer();
    let identity = deployKey.private;
    const { mirror } = mirrorOf({ url, secret: () => ({ identity, known_hosts: knownHosts(server.port) }) });
    await mirror.clone(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(head);
    const second = makeSshKey();
    accept(second.public);
    const next = repository.commit({ a: '1' });
    await expect(mirror.fetch(NEVER)).rejects.toThrow('the repository could not be read: it rejects the identity');
    identity = second.private;
    await mirror.fetch(NEVER);
    expect(await mirror.revision('main', NEVER)).toBe(next);
  });

  it('[issue 12, 1] is refused with a sentence where the host cannot be told, before anything is sent', async () => {
    const { server, url } = await aServer();
    const { mirror: without } = mirrorOf({ url });
    await expect(without.clone(NEVER)).rejects.toThrow('is reached by ssh, which needs a Secret with identity and known_hosts');
    const { mirror: unknown } = mirrorOf({ url, secret: () => ({ identity: deployKey.private }) });
    await expect(unknown.clone(NEVER)).rejects.toThrow('Secret deploy in pay has no known_hosts: without them git.test cannot be verified');
    const { mirror: nobody } = mirrorOf({ url, secret: () => ({ known_hosts: knownHosts(server.port) }) });
    await expect(nobody.clone(NEVER)).rejects.toThrow('Secret deploy in pay has no identity');
    const { mirror: locked } = mirrorOf({
      url,
      secret: () => ({ identity: makeSshKey('secret').private, known_hosts: knownHosts(server.port) }),
    });
    await expect(locked.clone(NEVER)).rejects.toThrow('identity of Secret deploy in pay has a passphrase');
    const { mirror: fooled } = mirrorOf({
      url,
      secret: () => ({ identity: deployKey.private, known_hosts: knownHosts(server.port, makeSshKey()) }),
    });
    await expect(fooled.clone(NEVER)).rejects.toThrow('its host key is not in known_hosts');
    const { mirror: refused } = mirrorOf({
      url,
      allow: '',
      secret: () => ({ identity: deployKey.private, known_hosts: knownHosts(server.port) }),
    });
    await expect(refused.clone(NEVER)).rejects.toThrow('git.test resolves to a loopback or link-local address');
    expect(server.seen).toEqual([]);
  });
});

describe('credentials of a repository', () => {
  /** What processes of this machine show to whoever looks: their arguments, and the environment of those that are ours. */
  function shown(): string {
    const read = (pid: string, file: string) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'latin1');
      } catch {
        return ''; // it has ended, or is another's
      }
    };
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
    return pids.map((pid) => `${read(pid, 'cmdline')}\n${read(pid, 'environ')}`).join('\n');
  }

  it('[issue 12, 5] stand in no argument and no environment, by https and by ssh, and leave nothing on disk', async () => {
    const { root } = aRepository();
    const looks: string[] = [];
    const authorization = basic('ann', CANARY);
    const https = use(
      await startGitHttps({
        certificate,
        root,
        wanted: () => {
          looks.push(shown());
          return authorization;
        },
      }),
    );
    const secret = () => ({ username: 'ann', password: CANARY, 'ca.crt': certificate.ca });
    const { mirror, folder } = mirrorOf({ url: `https://git.test:${https.port}/origin.git`, secret });
    await mirror.clone(NEVER);
    const hostKey = makeSshKey();
    const deployKey = makeSshKey();
    const onExec = async () => void looks.push(shown());
    const ssh = use(await startGitSsh({ root, hostKey, accepts: () => deployKey.public, onExec }));
    const keys = { identity: deployKey.private, known_hosts: `[git.test]:${ssh.port} ${hostKey.public}` };
    const { mirror: bySsh, folder: sshFolder } = mirrorOf({ url: `ssh://git@git.test:${ssh.port}/origin.git`, secret: () => keys });
    await bySsh.clone(NEVER);
    expect(looks.some((look) => look.includes('git-remote-https') || look.includes('remote-https'))).toBe(true);
    expect(looks.some((look) => look.includes('ssh_config'))).toBe(true);
    const secrets = [CANARY, authorization.slice('Basic '.length), deployKey.private.split('\n')[2] ?? ''];
    expect(looks.filter((look) => secrets.some((text) => look.includes(text)))).toEqual([]);
    for (const at of [folder, sshFolder]) {
      expect(readdirSync(path.join(at, 'contacts'))).toEqual([]);
      const files = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const texts = files.map((entry) => readFileSync(path.join(entry.parentPath ?? entry.path, entry.name), 'latin1'));
      expect(texts.filter((text) => secrets.some((each) => text.includes(each)))).toEqual([]);
    }
  });

  it('[issue 12, 5] stand in no error, not even where the server sends them back', async () => {
    const echo = use(
      await startWeb((asked, answer) => answer.writeHead(500, `${asked.headers.authorization}`.slice(0, 60)).end(CANARY), { certificate }),
    );
    const { mirror } = mirrorOf({
      url: `https://git.test:${echo.port}/origin.git`,
      secret: () => ({ username: 'ann', password: CANARY, 'ca.crt': certificate.ca }),
    });
    const error = await mirror.clone(NEVER).catch((failure: unknown) => String(failure));
    expect(error).toContain('500');
    expect([CANARY, basic('ann', CANARY).slice(6)].filter((text) => String(error).includes(text))).toEqual([]);
  });

  it('[issue 12, 5] stand in no error by a half of theirs, where the server has it cut there', async () => {
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    const before = 'x'.repeat(500 - 'fatal: remote error: '.length - CANARY.length / 2);
    const echo = use(
      await startWeb(
        (_asked, answer) =>
          answer
            .writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
            .end(`${line('# service=git-upload-pack\n')}0000${line(`ERR ${before}${CANARY}`)}`),
        { certificate },
      ),
    );
    const secret = () => ({ username: 'ann', password: CANARY, 'ca.crt': certificate.ca });
    const { mirror } = mirrorOf({ url: `https://git.test:${echo.port}/origin.git`, secret });
    const error = await mirror.clone(NEVER).catch((failure: unknown) => String(failure));
    expect(error).toMatch(/remote error: x+\[/);
    expect(error).not.toContain(CANARY.slice(0, CANARY.length / 2));
  });

  it.each([
    [{ username: 'ann' }, 'needs both username and password, and password is not in it'],
    [{ password: 'x' }, 'needs both username and password, and username is not in it'],
    [{ bearerToken: 'a\r\nx-evil: 1' }, 'needs one line of plain characters'],
  ])('[issue 12, 1] that are half a pair, or more than a header, are refused: %j', async (secret, sentence) => {
    const { mirror } = mirrorOf({ url: 'https://git.test:8443/origin.git', secret: () => secret });
    await expect(mirror.clone(NEVER)).rejects.toThrow(sentence);
  });
});

describe('the address of a repository', () => {
  it.each([
    ['https://GIT.test:443/a.git', 'https://git.test/a.git'],
    ['https://ann@git.test/a.git', 'https://git.test/a.git'],
    ['https://2130706433/a.git', 'https://127.0.0.1/a.git'],
    ['ssh://git@0x7f000001/a.git', 'ssh://git@127.0.0.1/a.git'],
    ['ssh://git@git.test:2222/a.git', 'ssh://git@git.test:2222/a.git'],
  ])('[issue 12, 5] is handed to git as it was judged: %s', (written, url) => {
    expect(readGitAddress(written, undefined).url).toBe(url);
  });

  it.each([
    ['ssh://-oProxyCommand=id@git.test/a.git', 'an address of a git repository needs a plain user name before its host'],
    ['-oProxyCommand=id@git.test:a.git', 'must be https:// or ssh://'],
    ['ssh://git@-oProxyCommand=id/a.git', 'an address of a git repository needs a host name, found "-oProxyCommand=id"'],
    ['ssh://git@git.test%20x/a.git', 'needs'],
    ['ext::sh -c id', 'must be https:// or ssh://'],
    ['ext::sh', 'must be https:// or ssh://'],
    ['fd::17', 'must be https:// or ssh://'],
    ['ssh://-oProxyCommand=touch /a/b', 'an address of a git repository must be ssh://HOST/PATH, found another form'],
    ['https://git.test/a.git?x=1', 'an address of a git repository must have neither a query nor a fragment'],
    ['https://git.test/a.git#x', 'an address of a git repository must have neither a query nor a fragment'],
  ])('[issue 12, 5] is refused: %s', (written, sentence) => {
    expect(() => readGitAddress(written, undefined)).toThrow(sentence);
  });
});
