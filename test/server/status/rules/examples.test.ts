import { describe, expect, it } from 'vitest';
import { compute } from '@/server/status/compute';
import { HOUSE, NOW, OUR_RULES } from './evaluate';
import type { State } from './examples';
import { readExamples, STATES } from './examples';

const { examples, never } = readExamples();
const RULES = OUR_RULES.filter(({ rows }) => rows !== undefined);

describe('rules of the house', () => {
  it.each(examples.map((example) => [`${example.object.apiVersion} ${example.object.kind}`, example] as const))(
    '[status 11.7] %s',
    (_kind, example) => {
      const { status, message, rule = '' } = compute(example.object, NOW, HOUSE);
      expect({ status, message }).toEqual({ status: STATES[example.state], message: example.says });
      expect(rule.replace(/^(kind|family) rule | row .*$/g, '')).toBe(example.by);
    },
  );

  it('[status 11.7] every rule has an example of each state, or says why there is none', () => {
    const shown = new Set(examples.map(({ rule, state }) => `${rule} ${state}`));
    const wanted = RULES.flatMap(({ kind }) => (Object.keys(STATES) as readonly State[]).map((state) => `${kind} ${state}`));
    expect(wanted.filter((one) => !shown.has(one) && !never.has(one))).toEqual([]);
    expect(wanted.filter((one) => shown.has(one) && never.has(one))).toEqual([]);
  });

  it('[status 11.7] no two rules are for the same kind', () => {
    const kinds = OUR_RULES.map(({ kind }) => kind);
    expect(kinds.filter((kind, index) => kinds.indexOf(kind) !== index)).toEqual([]);
  });

  it.each(OUR_RULES.filter(({ statusless }) => statusless === true).map(({ kind }) => kind))(
    '[status 11.7] %s has no status and is current',
    (kind) => {
      const [group = '', name = ''] = kind.replace('*.', 'one.').replace('/*', '/Anything').split('/');
      const { status, rule } = compute({ apiVersion: `${group}/v1`, kind: name, metadata: { name: 'one' } }, NOW, HOUSE);
      expect(status).toBe('Current');
      expect(rule).not.toBe('kstatus');
    },
  );
});
