import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = 'node_modules/zod/v4/core';
const MODULES = ['to-json-schema', 'json-schema-processors'];
const load = createRequire(import.meta.url)('../../scripts/pages/no-json-schema.cjs') as (source: string) => string;
const namesOf = async (address: string) => Object.keys((await import(/* @vite-ignore */ address)) as object).sort();

it('[decision 0158] leaves out of pages the two modules of zod that make JSON schemas, with every name that they export', async () => {
  expect(readFileSync('next.config.js', 'utf8')).toContain(`'**/zod/v4/core/{${MODULES.join(',')}}.js': {`);
  for (const name of MODULES) {
    const file = path.resolve(FOLDER, `${name}.js`);
    const stand = load(readFileSync(file, 'utf8'));
    expect(await namesOf(`data:text/javascript,${encodeURIComponent(stand)}`)).toEqual(await namesOf(file));
  }
});
