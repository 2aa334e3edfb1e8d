import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Keeps some megabytes, and prints how many the young generation has then. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8';
  (await import('./server/platform/memory/young-generation.ts')).growYoungGenerationAtOnce();
  const kept = [];
  for (let at = 0; at < 40_000; at++) kept.push({ at, of: [at] });
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  console.log(kept.length, space_size / 2 ** 20);
`;

describe('the young generation', () => {
  it('[issue 13] is as large as it gets once anything survives in it', async () => {
    const options = { timeout: 50_000 };
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], options);
    expect(stdout).toBe('40000 32\n'); // two halves of 16
  });
});
