import { describe, expect, it } from 'vitest';
import { answers, RELEASE, run } from './release-answers';

describe('slipway release diff', () => {
  it.each([
    ['revisions', '/compare', ['--from', '3', '--to', '4'], { from: 3, to: 4 }],
    ['a commit', `/commits/${'ab'.repeat(20)}`, ['--commit', 'ab'.repeat(20)], { from: 4, commit: 'ab'.repeat(20), definitions: ['a\tb'] }],
  ])(
    '[issue 10.5] keeps the tabs of lines that differ between %s, and nothing else that moves or hides',
    async (_what, path, options, sides) => {
      const compared = {
        ...sides,
        values: [{ sign: '+', text: 'script: |\tgo' }],
        valuesDiffer: true,
        hidesValues: false,
        objects: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            ns: 'pay',
            name: 'a\tb\u202e',
            change: 'changed',
            diff: [{ sign: '-', text: '\tb:\u202e1\u001b[2J\rx\ny\t' }],
          },
        ],
        notes: null,
      };
      const history = { revisions: [] };
      const commits = { head: 'ab'.repeat(20), commits: [], more: false, why: null };
      const known = {
        ...answers,
        [`GET ${RELEASE}/history`]: history,
        [`GET ${RELEASE}/commits`]: commits,
        [`GET ${RELEASE}${path}`]: compared,
      };
      const { text } = await run(['release', 'diff', 'ledger', '-n', 'pay', ...options], known);
      expect(text).toContain('\n+ script: |\tgo\n');
      expect(text).toContain('\nchanged ConfigMap pay/a\\tb\\u202e\n- \tb:\\u202e1\\u001b[2J\\rx\\ny\t');
      expect(text.split('\t')).toHaveLength(4);
    },
  );
});
