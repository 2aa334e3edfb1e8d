import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { GO_YAML } from '@/lib/std/yaml/go-yaml';
import { readYaml } from '@/lib/std/yaml/read-yaml';
import { writeYaml } from '@/lib/std/yaml/write-yaml';
import { createRandom } from '@/server/platform';

const readers = [(text: string): unknown => parse(text, GO_YAML), (text: string) => readYaml(text, { mostAliases: 0 })];

it.each([
  'no',
  'y',
  'On',
  '~',
  '',
  '0O17',
  '0o17',
  '0o1_7',
  '017',
  '1_000',
  '0x1_F',
  '0b-1',
  '.5_0',
  '1e3',
  '.inf',
  '<<',
  '=',
  '1:30',
  '2001-01-01',
])('[issue 12.1] writes the text %j so that no reader takes it for anything else, as a value and as a key', (text) => {
  for (const read of readers) expect(read(writeYaml({ [text]: [text] }))).toEqual({ [text]: [text] });
});

it('[issue 12.1] writes whatever looks like a number so that it is read as the text or the number that it is, and quotes nothing else for that', () => {
  const random = createRandom(7);
  const signs = [...'0123456789oOxXbBeE_.+-:aF'];
  const texts = Array.from({ length: 4000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => signs[Math.floor(random() * signs.length)] ?? '').join(''),
  );
  const value = { texts, numbers: [0, -1, 0.5, 1e21, 1e-7, 15] };
  for (const read of readers) expect(read(writeYaml(value))).toEqual(value);
  expect(writeYaml({ version: '1.2.3', address: '10.0.0.1', port: 'http' })).toBe('version: 1.2.3\naddress: 10.0.0.1\nport: http\n');
});
