import { describe, expect, it } from 'vitest';
import { carriesMask, holdsSecret, MASK, maskSecrets } from '@/lib/kube/mask';

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

  it('[design 13 S] leaves the annotations of everything else as they are', () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', annotations: { note: '{"a":1}' } } };
    expect(maskSecrets(map)).toEqual({ value: map, masked: false });
  });
});
