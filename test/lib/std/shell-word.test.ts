import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayBePasted, shellWord } from '@/lib/std/text/shell-word';

it('[design 8] a shell takes a quoted word for exactly that word', () => {
  const words = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(...' \'"\\$`;&|<>()*?~#!{}[]=%+-.,:@/_\n\tabé') }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, (all) => {
      const said = execFileSync('sh', ['-c', `printf '%s\\037' ${all.map(shellWord).join(' ')}`], { encoding: 'utf8' });
      expect(said.split('\u001f').slice(0, -1)).toEqual(all);
    }),
    { numRuns: 30 },
  );
});

it('[design 8] a word that no shell reads anything in stays as it is', () => {
  expect(shellWord('widgets.example.com,pods/log')).toBe('widgets.example.com,pods/log');
  expect(shellWord('')).toBe("''");
});

it.each(['a\nb', 'a\u001b[2K', 'a\u202eb', 'a\u2028b', 'a\u0000'])('[design 8] %j is not pasted', (word) => {
  expect(mayBePasted(word)).toBe(false);
  expect(mayBePasted("it's; id")).toBe(true);
});
