import { describe, expect, it } from 'vitest';
import {
  carriesMask,
  hideCredentials,
  holdsSecret,
  MASK,
  maskBesideOlder,
  maskForReading,
  maskSecrets,
  withoutCredentials,
} from '@/lib/kube/mask';

const CANARY = 'c4nary-77';

describe('a Secret as people may read it', () => {
  it.each([
    ['kapp.k14s.io/original', JSON.stringify({ kind: 'Secret', stringData: { key: CANARY } })],
    ['example.com/history', ` [{"key":"${CANARY}"}]`],
    ['objectset.rio.cattle.io/applied', `H4sI${CANARY}`],
  ])('[design 13 S] does not tell its values once more in the annotation %s', (name, text) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', annotations: { [name]: text, plain: 'word' } }, data: {} };
    for (const value of [secret, { spec: { objects: [secret] } }]) {
      const masked = maskSecrets(value).value;
      expect(JSON.stringify(masked)).not.toContain(CANARY);
      expect(JSON.stringify(masked)).toContain('"plain":"word"');
      expect(carriesMask(masked)).toBe(true);
    }
  });

  it('[design 13 S] is found however deep it is, and nothing else is taken for one', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', data: { key: 'dg==' } };
    for (const holder of [secret, { spec: { objects: [{ kind: 'ConfigMap' }, secret] } }, [[{ a: secret }]]])
      expect(holdsSecret(holder)).toBe(true);
    for (const holder of [
      null,
      'Secret',
      [],
      { kind: 'Secret', apiVersion: 'x.io/v1' },
      { spec: { kind: 'ConfigMap', data: { kind: 'Secret' } } },
    ]) {
      expect(holdsSecret(holder)).toBe(maskSecrets(holder).masked);
    }
  });

  it.each([
    [
      'kapp.k14s.io/original',
      JSON.stringify({ kind: 'Application', spec: { objects: [{ kind: 'Secret', stringData: { key: CANARY } }] } }),
    ],
    ['example.com/twice', JSON.stringify({ text: JSON.stringify({ kind: 'Secret', stringData: { key: CANARY } }) })],
    ['example.com/yaml', `kind: "Secret"\nstringData: { key: ${CANARY} }\n`],
    ['example.com/variable', JSON.stringify({ env: [{ name: 'TOKEN', sensitive: true, value: CANARY }] })],
    ['objectset.rio.cattle.io/applied', `H4sI${CANARY}`],
  ])('[design 13 S] is told by no copy in the annotation %s of anything else', (name, text) => {
    const application = { kind: 'Application', metadata: { name: 'x', annotations: { [name]: text, plain: 'word' } } };
    for (const value of [application, { spec: { application } }])
      expect(maskSecrets(value)).toEqual({
        value: JSON.parse(JSON.stringify(value), (key, held) => (key === name ? MASK : held)),
        masked: true,
      });
  });

  it.each([
    ['in lower case', { apiVersion: 'v1', kind: 'secret', stringData: { key: CANARY } }],
    ['of a version that there is not', { apiVersion: 'v2', kind: 'Secret', stringData: { key: CANARY } }],
    ['whose version is a number', { apiVersion: 1, kind: 'Secret', data: { key: CANARY } }],
    [
      'in a list that says for all what they are',
      { apiVersion: 'v1', kind: 'SecretList', items: [{ metadata: {}, data: { key: CANARY } }] },
    ],
  ])('[issue 10.1] is one with a slip in it as well: %s', (_how, secret) => {
    for (const value of [secret, { spec: { objects: [secret] } }]) {
      expect(holdsSecret(value)).toBe(true);
      expect(maskSecrets(value).masked).toBe(true);
      expect(JSON.stringify(maskSecrets(value).value)).not.toContain(CANARY);
    }
  });

  it.each([
    [`https://bob:${CANARY}/and@example.com/r`, 'https://example.com/r'],
    [`oci://${CANARY}@example.com/r`, 'oci://example.com/r'],
    ['ssh://git@example.com/r', 'ssh://git@example.com/r'],
    ['git@example.com:r', 'git@example.com:r'],
  ])('[issue 10.1] nor does a name that may be one: %s', (address, told) => {
    expect(withoutCredentials(address)).toBe(told);
  });

  it('[issue 10.1] is none of another group, in a list neither', () => {
    const kept = { kind: 'SecretList', apiVersion: 'x.io/v1', items: [{ data: { key: 'told' } }] };
    expect(maskSecrets(kept)).toEqual({ value: kept, masked: false });
  });

  it.each([
    [`https://bob:${CANARY}@example.com/r`, `https://${MASK}@example.com/r`],
    [`https://ghp_${CANARY}0123456789@example.com/r`, `https://${MASK}@example.com/r`],
    [`https://bob:${CANARY}@and@more@example.com/r@1`, `https://${MASK}@example.com/r@1`],
    [`postgres://bob:${CANARY}/and@db/shop`, `postgres://${MASK}@db/shop`],
    [
      `a: "https://bob:${CANARY}@one", https://:${CANARY}@two,x://c:${CANARY}@three`,
      `a: "https://${MASK}@one", https://${MASK}@two,x://${MASK}@three`,
    ],
    ['https://bob@example.com/r', 'https://bob@example.com/r'],
    ['https://bob:@example.com/r', 'https://bob:@example.com/r'],
    ['oci://example.com:5000/app@sha256:0f, http://[::1]:80/a@b', 'oci://example.com:5000/app@sha256:0f, http://[::1]:80/a@b'],
    ['https://example.com:8443, bob@example.com', 'https://example.com:8443, bob@example.com'],
    ['ssh://git@example.com/r', 'ssh://git@example.com/r'],
    ['https://example.com/a/path/that/is/long/enough@1.2.3', 'https://example.com/a/path/that/is/long/enough@1.2.3'],
  ])('[issue 10.1] does not stand in an address: %s', (text, told) => {
    expect(hideCredentials(text)).toBe(told);
  });

  describe('in a text of another object', () => {
    const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: CANARY } };
    const inYaml = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  password: ${CANARY}\n`;
    const configMap = (text: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'files' }, data: { 'db.yaml': text } });

    it.each([
      ['as YAML', inYaml],
      ['as JSON', JSON.stringify(manifest)],
      ['as JSON in JSON', JSON.stringify({ file: JSON.stringify(manifest) })],
      ['with its kind in quotes', inYaml.replace('Secret', '"Secret"')],
      ['with a slip in its kind', inYaml.replace('Secret', 'secret')],
      ['in a list that says for all what they are', inYaml.replace('Secret', 'SecretList')],
      ['after others', `kind: ConfigMap\n---\n${inYaml}`],
    ])('[issue 10.1] is not shown: %s', (_how, text) => {
      expect(maskForReading(configMap(text))).toEqual({ value: configMap(MASK), masked: true });
    });

    it.each(['kind: Secret\n', 'kind: ConfigMap\ndata:\n  secret: of life\n', 'secretKind: Secret\ndata: 1\n'])(
      '[issue 10.1] leaves a text as it is that holds none: %j',
      (text) => {
        expect(maskForReading(configMap(text))).toEqual({ value: configMap(text), masked: false });
      },
    );
  });

  it.each([
    ['a value of a Secret', { kind: 'Secret', data: { a: 'old' } }, { kind: 'Secret', data: { a: 'new' } }, ['data', 'a'], true],
    ['the same value of a Secret', { kind: 'Secret', data: { a: 'old' } }, { kind: 'Secret', data: { a: 'old' } }, ['data', 'a'], false],
    ['a value that was not there', { kind: 'Secret', data: {} }, { kind: 'Secret', data: { a: 'new' } }, ['data', 'a'], false],
    ['a password of an address', { at: 'https://a:old@host' }, { at: 'https://a:new@host' }, ['at'], true],
    ['another address', { at: 'https://a:old@host' }, { at: 'https://a:new@other' }, ['at'], false],
    ['a variable', [{ name: 'A', sensitive: true, value: 'old' }], [{ name: 'A', sensitive: true, value: 'new' }], ['0', 'value'], true],
  ])('[issue 10.1] says of what is hidden that it is another value: %s', (_what, older, newer, path, isOther) => {
    const shown = maskBesideOlder(older, newer);
    const at = path.reduce<unknown>((found, step) => (found as Record<string, unknown>)[step], shown);
    expect(JSON.stringify(shown)).not.toMatch(/old|new/);
    expect(String(at).includes('(another value)')).toBe(isOther);
    expect(String(at)).toContain(MASK);
  });

  it('[design 13 S] leaves the annotations of everything else as they are', () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', annotations: { note: '{"a":1}' } } };
    expect(maskSecrets(map)).toEqual({ value: map, masked: false });
  });
});
