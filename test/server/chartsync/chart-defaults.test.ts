import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesSecret, secretsIn } from '@/lib/kube/mask';
import { secretDefaults, secretsInText } from '@/server/chartsync/helm/masking/chart-defaults';
import { packChart } from '../../support/chart-archive';
import { temporaryFolder } from '../../support/temporary-folder';

describe('what a chart comes with under the names of secrets', () => {
  it.each([
    'password',
    'rootPassword',
    'ROOT_PASSWORD',
    'db.pass',
    'mysqlpassword',
    'apiKey',
    'api-key',
    'authTokens',
    'clientSecret',
    'tlsPrivateKey',
  ])('[issue 12.5] %s is one', (name) => expect(namesSecret(name)).toBe(true));
  it.each(['key', 'existingSecret', 'imagePullSecrets', 'secretName', 'passwordSecretKeyRef', 'bypass', 'compass', 'tokenPath', 'monkey'])(
    '[issue 12.5] %s is none',
    (name) => expect(namesSecret(name)).toBe(false),
  );

  it('[issue 12.5] is found in values as they are stored', () => {
    const values = {
      open: 'open',
      auth: { passwords: ['one', 2, 2n ** 60n], secret: { name: 'called', value: 'three' } },
      env: [
        { name: 'DB_PASSWORD', value: 'four' },
        { name: 'LEVEL', value: 'info' },
        { name: 'x', value: 'five', sensitive: true },
      ],
      url: 'https://ann:six@example.com',
      extra: { kind: 'Secret', stringData: { a: 'seven' } },
    };
    expect(secretsIn(values)).toEqual(['one', 2, 2n ** 60n, 'three', 'four', 'five', 'https://ann:six@example.com', 'seven']);
  });

  it('[issue 12.5] is found in a text, however it is written there, and where it is no YAML', () => {
    const text = [
      'open: known',
      'password: one # to change',
      `token: "two # no comment"`,
      `apiKey: 'it''s three'`,
      'auth: { user: ann, password: four, pin: 1 }',
      'privateKey: |',
      '  five',
      '  six',
      'tokens:',
      '- seven',
      'env:',
      '  - name: DB_PASSWORD',
      '    value: eight',
      '  - name: LEVEL',
      '    value: info',
      'secret:',
      '  name: called',
      '  inner: nine',
      '\t: [no yaml',
      'open: known',
    ].join('\n');
    const found = secretsInText(text);
    expect(
      ['one', 'two # no comment', "it's three", 'four', 'five', 'six', '- seven', 'eight', 'nine'].filter((one) => !found.includes(one)),
    ).toEqual([]);
    expect(found.join()).not.toMatch(/known|ann|info|called/);
  });

  it('[issue 12.5] is found in its subcharts, in folders and in archives', async () => {
    const folder = temporaryFolder();
    const write = (name: string, content: string | Buffer) => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), content);
    };
    write('values.yaml', 'password: one\n');
    write('files/values.yaml', 'password: no-values\n');
    write('charts/inner/values.yaml', 'password: two\n');
    const innermost = packChart('innermost', '1.0.0', { 'values.yaml': 'password: four\n' });
    write(
      'charts/packed-1.0.0.tgz',
      packChart('packed', '1.0.0', { 'values.yaml': 'password: three\n', 'charts/innermost-1.0.0.tgz': innermost }),
    );
    expect([...(await secretDefaults(folder))].sort()).toEqual(['four', 'one', 'three', 'two']);
  });
});
