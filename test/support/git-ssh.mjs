// git over ssh: a server that accepts one key and runs `git upload-pack` on the bare repositories of one folder.
import { spawn } from 'node:child_process';
import path from 'node:path';
import ssh2 from 'ssh2';

/** A pair of keys: `private` in the format of OpenSSH, `public` as one line. With a passphrase it is encrypted. */
export function makeSshKey(passphrase) {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', passphrase ? { passphrase, cipher: 'aes256-ctr', rounds: 1 } : {});
  // One in two hundred is a byte short: the library takes the zero that a key begins with for padding.
  const isWhole = [ssh2.utils.parseKey(pair.private, passphrase), ssh2.utils.parseKey(pair.public)].every((key) => !(key instanceof Error));
  return isWhole ? pair : makeSshKey(passphrase);
}

/** Starts one; `accepts` answers the public key that may sign in, `onExec` hears each command before it runs. */
export async function startGitSsh({ root, hostKey, accepts, onExec = async () => undefined }) {
  const seen = [];
  const clients = new Set();
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    clients.add(client);
    client.on('close', () => clients.delete(client)).on('error', () => undefined);
    client.on('authentication', (context) => {
      const allowed = ssh2.utils.parseKey(accepts());
      const isIt = context.method === 'publickey' && context.key.data.equals(allowed.getPublicSSH());
      const isSigned = context.signature === undefined || allowed.verify(context.blob, context.signature, context.hashAlgo) === true;
      if (isIt && isSigned) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      const session = accept();
      // Git asks for its protocol by an environment variable, which is no matter.
      session.on('env', (acceptEnv) => acceptEnv?.());
      session.on('exec', async (acceptExec, _reject, { command }) => {
        seen.push(command);
        const stream = acceptExec();
        await onExec();
        const name = /^git-upload-pack '\/?([\w.-]+)'$/.exec(command)?.[1];
        if (!name) {
          stream.exit(128);
          stream.end();
          return;
        }
        const config = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
        const child = spawn('git', ['upload-pack', path.join(root, name)], {
          env: { PATH: process.env.PATH, ...config },
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        stream.pipe(child.stdin).on('error', () => undefined);
        child.stdout.pipe(stream, { end: false });
        child.on('close', (code) => {
          stream.exit(code ?? 1);
          stream.end();
        });
      });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.end();
      }),
  };
}
