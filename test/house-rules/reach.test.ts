import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUnreached } from '@/scripts/reach/walk.mjs';

describe('what production cannot reach', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-reach-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function unreached(files: Record<string, string>) {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const paths = Object.keys(files).map((name) => path.join(folder, name));
    return findUnreached(paths, [path.join(folder, 'main.ts')]).map(({ id, line }) => `${path.relative(folder, id)}:${line}`);
  }

  it('[design 14] is a file that a door names and nobody asks for, with all that only it asks for', async () => {
    expect(
      await unreached({
        'main.ts': `import { used } from './door';\nused();`,
        'door.ts': `export { used } from './used';\nexport { idle } from './idle';`,
        'used.ts': `export const used = () => 1;`,
        'idle.ts': `import { deep } from './deep';\nexport function idle() { return deep(); }`,
        'deep.ts': `export const deep = () => 2;`,
      }),
    ).toEqual(['door.ts#idle:2', 'idle.ts:1', 'deep.ts:1']);
  });

  it('[design 14] is a member of a class that nobody asks any object for', async () => {
    expect(
      await unreached({
        'main.ts': `import { Ledger } from './ledger';\nconst { total: sum } = new Ledger().read();\nexport default sum;`,
        'ledger.ts': `/** Says who wrote. */\nimport { helper } from './helper';\n\nexport class Ledger {\n  #kept = 1;\n  read() { return this.#kept; }\n  get total() { return 1; }\n  fault() { return helper(); }\n}`,
        'helper.ts': `export const helper = () => 1;`,
      }),
    ).toEqual(['ledger.ts#Ledger.fault:8', 'helper.ts:1']);
  });

  it('[design 14] is a member of a class that extends one of ours, but not of one that somebody else may call', async () => {
    expect(
      await unreached({
        'main.ts': `import { Fault } from './fault';\nimport { Tap } from './tap';\nthrow new Fault(new Tap());`,
        'fault.ts': `import { Base } from './base';\nexport class Fault extends Base {\n  told() { return 1; }\n}\nexport class Own extends Error {\n  told() { return 1; }\n}`,
        'base.ts': `export class Base {}`,
        'tap.ts': `import { Transform } from 'node:stream';\nexport class Tap extends Transform {\n  _flush() { return 1; }\n}`,
      }),
    ).toEqual(['fault.ts#Own:5', 'fault.ts#Fault.told:3']);
  });

  it('[design 14] is not what only runs when a file is loaded, a type that is named, or what is imported later', async () => {
    expect(
      await unreached({
        'main.ts': `import './starts';\nimport type { Shape } from './shape';\nexport const load = async (shape: Shape) => [shape, await import('./later')];`,
        'starts.ts': `globalThis.started = true;`,
        'shape.ts': `export interface Shape { side: Side }\ntype Side = number;\nexport type Other = 1;`,
        'later.ts': `export const later = 1;`,
      }),
    ).toEqual(['shape.ts#Other:3']);
  });

  it('[design 14] is what a module holds beside the names that are taken from it when it is imported later', async () => {
    expect(
      await unreached({
        'main.ts': `const [{ told }, found] = await Promise.all([import('./door'), import('./lazy').then((module) => module.Field)]);\nexport default [told, found];`,
        'door.ts': `export { told } from './told';\nexport { idle } from './idle';`,
        'told.ts': `export const told = () => 1;`,
        'idle.ts': `export const idle = () => 1;`,
        'lazy.ts': `export const Field = 1;\nexport const Other = 1;`,
      }),
    ).toEqual(['door.ts#idle:2', 'idle.ts:1', 'lazy.ts#Other:2']);
  });

  it('[design 14] is each export of an unused name, and never one that its own file uses', async () => {
    expect(
      await unreached({
        'main.ts': `import { a } from './both';\na();`,
        'both.ts': `export const b = 1;\nexport const a = () => b;\nexport const c = 1;`,
      }),
    ).toEqual(['both.ts#c:3']);
  });
});
