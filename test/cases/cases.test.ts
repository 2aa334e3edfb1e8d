import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Domain } from './registry';
import { CASES_FOLDER, isDomain, loadRunner, readCases, runCase } from './registry';

/** The domains whose cases all pass, and must go on passing. */
const scope: unknown = JSON.parse(await readFile(path.join(CASES_FOLDER, 'scope.json'), 'utf8'));
const complete: readonly Domain[] = Array.isArray(scope) ? scope.filter(isDomain) : [];

it('[design 10] lists in scope.json domains that exist', () => {
  expect(complete).toEqual(scope);
  expect(new Set(complete).size).toBe(complete.length);
});

it.each([
  { fn: 'nothing', given: {} },
  { fn: 'constructor', given: {} },
  { fn: 'computeStages', given: { op: 'nothing' } },
])('[design 10] counts what no code answers as failed, also where nothing is expected of it: %j', async (testCase) => {
  expect(await runCase(await loadRunner('rollout'), { id: 'unknown', ...testCase })).toMatchObject({ kind: 'unanswered' });
});

for (const domain of complete) {
  const cases = (await readCases(CASES_FOLDER, domain)) ?? [];
  const runner = await loadRunner(domain);
  describe(`${domain} cases`, () => {
    it.each(cases.map((testCase) => [testCase.id, testCase] as const))(`[${domain}] %s`, async (_id, testCase) => {
      expect(await runCase(runner, testCase)).toEqual({ kind: 'passed' });
    });
  });
}
