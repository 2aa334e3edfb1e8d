import { describe, expect, it } from 'vitest';
import { brokenRules } from '@/server/embedded/kinds/definitions/cel-rules';
import { checkValue } from '@/server/embedded/kinds/definitions/check-value';

const PATTERNS = [
  ['(?i)^[a-z]+$', 'ABC', 'A1'],
  ['^(?i)\\.?[a-z_][a-z_0-9]*(\\.[a-z_][a-z_0-9]*)*$', 'Shop.Cart', 'shop cart'],
  ['^(?P<n>a)\\z', 'a', 'b'],
  ['\\A[[:alpha:]_-]+$', 'ab-c_', 'a1'],
  ['^[a-z]+\\-[a-z\\-]+\\_x$', 'a-b-c_x', 'a_b'],
  ['^\\p{L}+$', 'é', '1'],
  ['^(?s)a.b$', 'a\nb', 'ab'],
  ['^[^[:space:]\\]]+$', 'a[', 'a ]'],
] as const;
const at = { field: 'spec.name', said: 'spec.name' };

describe.each(PATTERNS)('the pattern %s, as Go reads it', (pattern, fits, fails) => {
  it('[issue 12, 2] is that of a schema', () => {
    expect(checkValue(fits, { type: 'string', pattern }, at)).toEqual([]);
    expect(checkValue(fails, { type: 'string', pattern }, at)).toMatchObject([{ field: 'spec.name' }]);
  });

  it('[issue 12, 2] is that of a rule, and its sentence says what was written', () => {
    const rule = `[self].all(one, (one).matches(r"""${pattern}"""))`;
    const schema = { type: 'string', 'x-kubernetes-validations': [{ rule }] } as const;
    expect(brokenRules(fits, undefined, schema, 'spec.name')).toEqual([]);
    expect(brokenRules(fails, undefined, schema, 'spec.name')).toMatchObject([
      { message: expect.stringContaining(`failed rule: ${rule}`) as string },
    ]);
  });
});

it('[issue 12, 2] a pattern that only Go can read refuses nothing', () => {
  expect(checkValue('anything', { type: 'string', pattern: '^(?i)ab(?-i)c$' }, at)).toEqual([]);
});
