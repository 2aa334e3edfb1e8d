import { describe, expect, it } from 'vitest';
import { messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication, render } from '@/server/application';
import { parseManifest, parseValues } from '@/server/commands/manifest-text';
import { longNumberReason } from '@/server/dispatch';
import { serializeExactly } from '@/server/kube/json-bodies';

const PLANTED = '9007199254740993';
const LONG = BigInt(PLANTED);
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: 'shop' } };
const WIDGET = { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'shop' } };

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return `${messageOf(error)} ${JSON.stringify(error)}`;
  }
  return 'it was taken';
}

const secret = (data: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\n${data}`;
const holding = (component: string) =>
  `apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata: {name: web}\nspec:\n  components:\n    - ${component}`;

describe('[issue 10.1] a value that nobody is to read', () => {
  it.each([
    ['a Secret', secret(`data: {pin: ${PLANTED}}`), 'data.pin'],
    ['a Secret, under a misspelt name', secret(`stringdata: {pin: ${PLANTED}}`), 'stringdata.pin'],
    ['a Secret whose kind is an alias', `apiVersion: v1\nkind: &k Secret\nmetadata: {name: keys}\ndata: {pin: ${PLANTED}}`, 'data.pin'],
    [
      'a Secret of an application',
      holding(`{name: a, type: k8s-objects, properties: {objects: [{apiVersion: v1, kind: Secret, stringData: {pin: ${PLANTED}}}]}}`),
      'spec.components[0].properties.objects[0].stringData.pin',
    ],
    [
      'a sensitive variable',
      holding(`{name: a, type: webservice, properties: {env: [{name: PIN, value: ${PLANTED}, sensitive: true}]}}`),
      'spec.components[0].properties.env[0].value',
    ],
    ['a Secret, where aliases have no end', secret(`data: {pin: ${PLANTED}, all: &all [*all]}`), 'data.pin'],
  ])('is not told where it is a number that cannot be kept, in %s; its path is', (_where, text, path) => {
    const refused = refusalOf(() => parseManifest(text));
    expect(refused).toContain(`${path} is a whole number beyond 9007199254740991, which is not kept exactly`);
    expect(refused).not.toContain(PLANTED);
  });

  it('is not told of the values of a chart, any of which may be a password', () => {
    const refused = refusalOf(() => parseValues(`auth: {pin: ${PLANTED}}`));
    expect(refused).toContain('auth.pin is a whole number beyond');
    expect(refused).not.toContain(PLANTED);
  });

  it.each([
    [
      'a variable beside it',
      holding(`{name: a, type: webservice, properties: {env: [{name: N, value: ${PLANTED}}, {name: P, value: '1', sensitive: true}]}}`),
    ],
    ['the metadata of a Secret', `apiVersion: v1\nkind: Secret\nmetadata: {name: keys, generation: ${PLANTED}}\ndata: {pin: cQ==}`],
    ['a ConfigMap', `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: keys}\ndata: {pin: ${PLANTED}}`],
  ])('keeps no other number from being told: %s', (_where, text) => {
    expect(refusalOf(() => parseManifest(text))).toContain(`is ${PLANTED}, and whole numbers beyond`);
  });

  it('is not quoted of a text that is no object, such as a Secret without a kind or a password that was pasted', () => {
    for (const text of ['hunter2', '[hunter2]', 'data: {password: hunter2}'])
      expect(refusalOf(() => parseManifest(text))).not.toContain('hunter2');
    expect(refusalOf(() => parseManifest('data: {password: hunter2}'))).toContain('found a map without apiVersion, kind and metadata.name');
    expect(refusalOf(() => parseManifest('hunter2'))).toContain('found a string');
    expect(refusalOf(() => parseManifest(secret('data: {password: aHVudGVyMg==}')))).toBe('it was taken');
  });

  it('is not told where a write would take away a number that somebody else set; others are', () => {
    const live: KubeObject = { ...SECRET, data: { pin: LONG } };
    expect(longNumberReason(live, [{ path: 'data.pin', found: LONG }])).toBe(
      'data.pin of Secret keys holds a whole number beyond 2^53, which is never written',
    );
    expect(longNumberReason({ ...WIDGET, spec: { n: LONG } }, [{ path: 'spec.n', found: LONG }])).toContain(`holds ${PLANTED}: `);
  });

  it('is not told where an object or a patch with such a number would be written; others are', () => {
    const held = { ...KINDS.application, metadata: { name: 'web' }, spec: { objects: [{ ...SECRET, data: { pin: LONG } }], n: LONG } };
    for (const body of [held, { ...SECRET, data: { pin: LONG } }, { data: { pin: LONG } }]) {
      const refused = refusalOf(() => serializeExactly(body, 'this'));
      expect(refused).toMatch(/this would write \S*data\.pin, which is a whole number beyond 2\^53/);
      expect(refused).not.toContain(PLANTED);
    }
    expect(refusalOf(() => serializeExactly({ ...WIDGET, spec: { n: LONG } }, 'this'))).toContain(`spec.n, which is ${PLANTED}`);
    expect(serializeExactly({ ...SECRET, data: { pin: 'cQ==' } }, 'this')).toContain('"pin":"cQ=="');
  });

  it('is not told where a sensitive variable has a number for its value; that of another variable is', () => {
    const refuse = (env: object) =>
      refusalOf(() => {
        const components = [{ name: 'web', type: 'webservice', properties: { image: 'web:1', env: [{ name: 'PIN', ...env }] } }];
        const object = { ...KINDS.application, metadata: { name: 'web', namespace: 'shop', uid: 'u' }, spec: { components } };
        return render(parseApplication(object), 'web-v1', { revisionHash: 'h' });
      });
    expect(refuse({ value: 48_151_623, sensitive: true })).toContain('env[0].value must be a string, found "••••••••"');
    expect(refuse({ value: 48_151_623, sensitive: true })).not.toContain('48151623');
    expect(refuse({ value: 48_151_623 })).toContain('found 48151623');
    expect(refuse({ value: '48151623', sensitive: true })).toBe('it was taken');
  });
});
