import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitYamlLine } from '@/components/ui/data/yaml-line';

describe('a line of YAML', () => {
  it('[design 9] loses nothing when it is coloured, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\n\r\u2028\u2029]/g, ' ')),
        (line) => {
          expect(
            splitYamlLine(line)
              .map((part) => part.text)
              .join(''),
          ).toBe(line);
        },
      ),
    );
  });

  it.each([
    ['  name: web', ['mark', 'key', 'mark', 'value']],
    ['- name: "web"', ['mark', 'key', 'mark', 'text']],
    ['  replicas: 4', ['mark', 'key', 'mark', 'number']],
    ['  # why', ['mark', 'comment']],
    ['  image: ghcr.io/acme/web:1.9', ['mark', 'key', 'mark', 'value']],
  ])('[design 9] tells key, value and comment apart in “%s”', (line, kinds) => {
    expect(splitYamlLine(line).map((part) => part.kind)).toEqual(kinds);
  });
});
