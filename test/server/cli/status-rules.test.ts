import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';

const EXPECTED = 'test/fixtures/status/expected.yaml';
const LUA = 'test/fixtures/status/lua/water.example.com/Pump';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slipway-check-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(args: readonly string[], stdin = '') {
  const printed: string[] = [];
  let code = 0;
  const print = (text: string) => void printed.push(text);
  const fail = (given = 1) => {
    code = given;
  };
  const never = () => Promise.reject(new Error('no server is asked'));
  await createProgram({ print, warn: print, fail, fetch: never, stdin: Readable.from([stdin]) }).parseAsync(
    ['status-rules', 'test', ...args],
    {
      from: 'user',
    },
  );
  return { code, text: printed.join('\n') };
}

describe('slipway status-rules test', () => {
  it('tells that what a file expects is met, at the times that it names', async () => {
    const { code, text } = await run([EXPECTED]);
    expect(text).toContain('ok   a pump that was dry for long: Failed: Pump is dry: no water');
    expect(text).toContain(`by kind rule water.example.com/Pump row "dry" of ${EXPECTED}`);
    expect(text).toContain('2 objects, 2 expected, 0 not as expected');
    expect(code).toBe(0);
  });

  it('ends with 1 and says what was wanted where it is not met', async () => {
    const file = path.join(folder, 'wrong.yaml');
    await writeFile(
      file,
      (await readFile(EXPECTED, 'utf8')).replace(
        'reason: Filling\n        message: Pump fills',
        'reason: Dry\n        message: Pump fills',
      ),
    );
    const { code, text } = await run([file]);
    expect(text).toContain('FAIL a pump that has just run dry: InProgress: Pump fills');
    expect(text).toContain('expected reason Filling, found Dry');
    expect(text).toContain('2 objects, 2 expected, 1 not as expected');
    expect(code).toBe(1);
  });

  it('prints what a file makes of objects of several documents, by whatever rule tells it', async () => {
    const objects =
      'apiVersion: water.example.com/v1\nkind: Pump\n---\napiVersion: example.org/v1\nkind: Gate\nmetadata: { name: low }\nstatus: { phase: Failed }\n';
    const { code, text } = await run(['test/fixtures/status/rules.yaml', '-'], objects);
    expect(text).toContain('Pump example: InProgress: Filling: 0/10');
    expect(text).toContain('Gate low: Failed: Gate has phase Failed\n       by generic: status.phase');
    expect(code).toBe(0);
  });

  it('runs a health check in Lua on the objects of the test that lies beside it', async () => {
    const { code, text } = await run([`${LUA}/health.lua`]);
    expect(text).toContain('ok   testdata/dry.yaml: Failed: no water');
    expect(text).toContain('2 objects, 2 expected, 0 not as expected');
    expect(code).toBe(0);
  });

  it('says what a check in Lua that does not work made of an object', async () => {
    const file = path.join(folder, 'health.lua');
    await writeFile(file, 'return obj.status.none.deeper');
    expect((await run([file, `${LUA}/testdata/dry.yaml`])).text).toContain('Unknown: The Lua health check of');
    await expect(run([file])).rejects.toThrow('objects are required: name a file of them');
  });

  it('refuses a file that is wrong, and objects that are none, with a sentence', async () => {
    await expect(run(['test/none.yaml'])).rejects.toThrow('test/none.yaml cannot be read');
    await expect(run([EXPECTED, '-'], 'kind: Pump')).rejects.toThrow('an object needs apiVersion and kind, found "Pump"');
  });
});
