import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forgetSecrets, readConfig } from '@/server/platform';
import { describeSettings } from '@/server/platform/config/describe-settings';

describe('readConfig', () => {
  it('[design 10] has defaults that start on loopback with an embedded cluster', () => {
    expect(readConfig([], {})).toMatchObject({ port: 3000, host: '127.0.0.1', auth: 'local', inCluster: false });
    expect(readConfig([], {}).kubeconfig).toBeUndefined();
  });

  it('[design 10] never takes a cluster because KUBECONFIG happens to be set', () => {
    expect(readConfig([], { KUBECONFIG: '/home/ann/.kube/config' }).kubeconfig).toBeUndefined();
  });

  it('[issue 10, 5] leaves no secret in the environment once it is read, and everything else', () => {
    const env: Record<string, string | undefined> = {
      DATABASE_URL: 'postgres://ann:c4nary@db/shop',
      SLIPWAY_OIDC_CLIENT_SECRET: 'c4nary',
      SLIPWAY_PORT: '4000',
    };
    expect(readConfig([], env)).toMatchObject({ databaseUrl: 'postgres://ann:c4nary@db/shop', oidcClientSecret: 'c4nary', port: 4000 });
    forgetSecrets(env);
    expect(env).toEqual({ SLIPWAY_PORT: '4000' });
  });

  it('[design 10] lets the command line win over the environment', () => {
    expect(readConfig(['--port', '4000'], { SLIPWAY_PORT: '5000' }).port).toBe(4000);
    expect(readConfig(['--port=4001'], { SLIPWAY_PORT: '5000' }).port).toBe(4001);
  });

  it.each([
    [['--port', 'x'], {}, '--port must be a number, found "x"'],
    [[], { SLIPWAY_PORT: '70000' }, 'SLIPWAY_PORT must be 0 to 65535, found "70000"'],
    [['--shards', '65'], {}, '--shards must be 1 to 64, found "65"'],
    [[], { SLIPWAY_AUTH: 'none' }, 'SLIPWAY_AUTH must be local, token or oidc, found "none"'],
    [[], { DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be an address that starts with postgres://'],
    [['--prot', '1'], {}, 'no setting is called --prot'],
    [['--port'], {}, '--port needs a value, found none'],
  ])('says in a sentence what is wrong with %j %j', (args, env, sentence) => {
    expect(() => readConfig(args, env)).toThrow(sentence);
  });

  it.each([
    [[], { DATABASE_URL: 'mysql://ann:c4nary@db/shop' }, 'DATABASE_URL must be'],
    [['--oidc-client-secret=c4nary'], {}, 'no setting is called --oidc-client-secret;'],
    [['--auth', 'https://ann:c4nary@host'], {}, 'found "https://••••••••@host"'],
  ])('[issue 10.1] repeats no password of %j %j', (args, env, sentence) => {
    const read = () => readConfig(args, env);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow('c4nary');
  });

  it('is described by a page that is up to date', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toBe(describeSettings());
  });
});
