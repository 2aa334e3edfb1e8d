import { describe, expect, it } from 'vitest';
import { readManifests } from '@/server/installation';
import { startQuiet } from '../cluster';

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

function definition(formats: readonly { readonly type: string; readonly format: string }[]) {
  const properties = Object.fromEntries(formats.map((schema, at) => [`field${at}`, schema]));
  const deep = { type: 'array', items: { type: 'object', additionalProperties: { type: 'object', properties } } };
  const names = { plural: 'things', kind: 'Thing' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { deep } } } };
  return {
    ...DEFINITION,
    metadata: { name: 'things.shop.example.com' },
    spec: { group: 'shop.example.com', scope: 'Namespaced', names, versions: [version] },
  };
}

describe('a definition with formats that the API server ignores', () => {
  it('[issue 12.2] is taken, and each of them is named, once: of later changes only what is new', async () => {
    await using embedded = await startQuiet();
    const told: string[] = [];
    const onWarning = (text: string) => void told.push(text);
    const known = ['date-time', 'datetime', 'uuid', 'k8s-short-name'].map((format) => ({ type: 'string', format }));
    const numbers = [
      { type: 'integer', format: 'int32' },
      { type: 'number', format: 'double' },
    ];
    const first = definition([...known, ...numbers, { type: 'string', format: 'url' }]);
    await embedded.cluster.create(first, { onWarning });
    expect(told.splice(0)).toEqual(['unrecognized format "url"']);
    const more = definition([{ type: 'string', format: 'url' }, { type: 'integer', format: 'uint8' }, ...numbers]);
    const { metadata } = await embedded.cluster.get({ ...DEFINITION, name: first.metadata.name });
    await embedded.cluster.update({ ...more, metadata }, { onWarning });
    expect(told).toEqual(['unrecognized format "uint8"']);
  });

  it('[issue 12.2] are none of those that the server brings', async () => {
    await using embedded = await startQuiet();
    const told: string[] = [];
    const ours = (await readManifests('deploy/crds')).filter(({ kind }) => kind === DEFINITION.kind);
    expect(ours.length).toBeGreaterThan(3);
    for (const one of ours) await embedded.cluster.create(one, { onWarning: (text) => void told.push(text) });
    expect(told).toEqual([]);
  });
});
