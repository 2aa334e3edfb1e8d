import { describe, expect, it } from 'vitest';
import { formatFailure } from '@/lib/words/failures';

describe('a failure that stands on an object', () => {
  it('[issue 9] is one line, and says so where there is no message', () => {
    expect(formatFailure('  connection refused\n    at connect (net.ts:12)')).toBe('connection refused');
    expect(formatFailure(' \n ')).toBe('it failed without a message');
  });

  it('[issue 9] is cut where it is longer than anybody reads', () => {
    expect(formatFailure('a'.repeat(500))).toBe('a'.repeat(500));
    expect(formatFailure('a'.repeat(501))).toBe(`${'a'.repeat(499)}…`);
  });

  it('[design 8] repeats no value of a Secret, whichever way it is quoted, and leaves what other kinds say', () => {
    const refused = (kind: string) => `${kind} "keys" is invalid: data[password]: Invalid value: "pass\\"word": must be shorter`;
    expect(formatFailure(refused('Secret'))).toBe(
      'Secret "keys" is invalid: data[password]: Invalid value: (not repeated): must be shorter',
    );
    expect(formatFailure(refused('ConfigMap'))).toBe(refused('ConfigMap'));
    expect(formatFailure('Unexpected token h, ..."hunter2 is"... is not valid JSON')).toBe(
      'Unexpected token h, the text is not valid JSON',
    );
  });

  it('[issue 9] stays as it stands where only figures differ, so that nobody is woken by it', () => {
    expect(formatFailure('waited 31 ms in vain', 'waited 30 ms in vain')).toBe('waited 30 ms in vain');
    expect(formatFailure('waited 31 ms for pods', 'waited 30 ms in vain')).toBe('waited 31 ms for pods');
    expect(formatFailure('waited 31 ms in vain', undefined)).toBe('waited 31 ms in vain');
  });
});
