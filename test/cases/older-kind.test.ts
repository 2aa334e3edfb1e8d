import { describe, expect, it } from 'vitest';
import type { Case } from './chartsync/world';
import { CASES_FOLDER, loadRunner, readCases, runCase } from './registry';

/** A case with its HelmReleases in the group that helm-operator had until 0.10. */
function withOlderKind({ given, ...rest }: Case): Case {
  const resources = given.cluster.resources.map((one) =>
    one.kind === 'HelmRelease' ? { ...one, group: 'flux.weave.works' as const } : one,
  );
  return { ...rest, given: { ...given, cluster: { ...given.cluster, resources } } };
}

const all = (await readCases(CASES_FOLDER, 'chartsync')) as unknown as readonly Case[]; // the schema of spec/chartsync 1
const cases = all.filter(({ given }) => given.cluster.resources.some(({ kind }) => kind === 'HelmRelease'));
const runner = await loadRunner('chartsync');

describe('chartsync cases by HelmReleases of flux.weave.works', () => {
  it.each(cases.map((testCase) => [testCase.id, testCase] as const))('[chartsync] %s', async (_id, testCase) => {
    expect(await runCase(runner, withOlderKind(testCase))).toEqual({ kind: 'passed' });
  });

  it('[issue 12.1] are as many as there are of the later kind', () => expect(cases.length).toBeGreaterThan(30));
});
