import { describe, expect, it } from 'vitest';
import { explainOffences, findOffences } from '@/scripts/one-source/find-offences.mjs';
import { RULES } from '@/scripts/one-source/rules.mjs';

const HOMES: Readonly<Record<string, string>> = {
  'whether a workload is ready': 'server/status/compute.ts',
  'the health of an object': 'server/status/compute.ts',
  'how old a copy is, and whether it proves anything': 'server/kube/staleness.ts',
  'how the containers of a pod are': 'server/status/compute.ts',
  'where a rollout stands': 'server/rollout/decide.ts',
  'why a release is what it is': 'server/chartsync/describe/describe-release.ts',
  'what a rollout policy means': 'server/rollout/control/policy.ts',
  'what a change of an application makes, changes and deletes': 'server/application/decide/decide.ts',
  'what garbage goes, and why not': 'server/dispatch/garbage/evaluate.ts',
  'who may do what': 'server/kube/access-review.ts',
  'who asked for a change': 'lib/kube/user-annotations.ts',
  'what differs, and who set it': 'server/dispatch/drift/find-drift.ts',
  'what a setting means': 'server/platform/config/config.ts',
  'how a number or a time is written for a person': 'lib/words/figures.ts',
  'which characters are invisible': 'lib/std/text/hidden-characters.ts',
  'how waits grow from failure to failure': 'lib/std/back-off.ts',
};

describe('a fact that one room tells', () => {
  it.each(RULES.map((rule) => [rule.fact, rule] as const))('[design 14] is noticed when another room computes it: %s', (fact, rule) => {
    const text = `const known = 1;\n// ${rule.example}\n/* ${rule.example} */\nconst again = ${rule.example};\n`;
    const files = ['server/somewhere/second.ts', HOMES[fact] ?? ''].map((file) => ({ file, text }));
    expect(findOffences(rule, files)).toEqual([['server/somewhere/second.ts', 4, expect.any(String)]]);
  });

  it.each(RULES.map((rule) => [rule.fact, rule] as const))(
    '[design 14] is licensed elsewhere only while the sign stands there, with a reason: %s',
    (_fact, rule) => {
      const told = (licensed: Record<string, string>, text: string) =>
        explainOffences({ ...rule, licensed }, [{ file: 'server/somewhere/second.ts', text }]).map((line) => line.split('\n')[0]);
      const offending = `const again = ${rule.example};`;
      expect(told({ 'server/somewhere/second.ts': 'means something else here' }, offending)).toEqual([]);
      expect(told({}, offending)).toEqual([`server/somewhere/second.ts:1: ${rule.fact} is told by another room; ${rule.instead}`]);
      expect(told({ 'server/somewhere/second.ts': 'means something else here' }, 'const again = 1;')).toEqual([
        `scripts/one-source/rules.mjs: server/somewhere/second.ts no longer does this (${rule.fact}); drop it from the list`,
      ]);
      expect(told({ 'server/somewhere/second.ts': 'so' }, offending)).toEqual([
        `scripts/one-source/rules.mjs: server/somewhere/second.ts is licensed without a reason (${rule.fact})`,
      ]);
    },
  );

  it('[design 14] has a home of its own in this test', () => {
    expect(RULES.map(({ fact }) => fact).sort()).toEqual(Object.keys(HOMES).sort());
  });
});
