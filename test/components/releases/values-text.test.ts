import { describe, expect, it } from 'vitest';
import { fieldsOf, readValue, writeValue } from '@/components/releases/edit/values-text';

const TEXT = '# how many\nreplicas: 2 # enough\nhost: "a: b"\nimage:\n  tag: v1\nnote: |\n  two\n  lines\n';
const replicas = { name: 'replicas', kind: 'number' } as const;

describe('the form over the values', () => {
  it('[issue 12.4] offers what the schema says is a plain value at the top, and no more', () => {
    const schema = {
      properties: {
        replicas: { type: 'integer', default: 1, description: 'How many.' },
        level: { enum: ['low', 'high'] },
        debug: { type: 'boolean' },
        image: { type: 'object' },
        ports: { type: 'array' },
      },
    };
    expect(fieldsOf(schema)).toEqual([
      { name: 'replicas', kind: 'number', help: 'How many.', fallback: '1', choices: [] },
      { name: 'level', kind: 'choice', help: null, fallback: null, choices: ['low', 'high'] },
      { name: 'debug', kind: 'boolean', help: null, fallback: null, choices: [] },
    ]);
    expect(fieldsOf(undefined)).toEqual([]);
  });

  it('[issue 12.4] reads what is written plainly, and leaves everything else to the text', () => {
    expect(['replicas', 'host', 'image', 'note', 'other', 'tag'].map((name) => readValue(TEXT, name))).toEqual([
      { kind: 'plain', value: '2' },
      { kind: 'plain', value: 'a: b' },
      { kind: 'elsewhere' },
      { kind: 'elsewhere' },
      { kind: 'absent' },
      { kind: 'absent' },
    ]);
  });

  it('[issue 12.4] changes the one line, adds it, or takes it away, and nothing else of the text', () => {
    expect(writeValue(TEXT, replicas, '3')).toBe(TEXT.replace('replicas: 2 # enough', 'replicas: 3'));
    expect(writeValue(TEXT, { name: 'other', kind: 'text' }, 'x')).toBe(`${TEXT}other: x\n`);
    expect(writeValue('', replicas, '3')).toBe('replicas: 3\n');
    expect(writeValue(TEXT, replicas, '')).toBe(TEXT.replace('replicas: 2 # enough\n', ''));
    expect(writeValue('', replicas, '')).toBe('');
  });

  it.each(['yes', '012', '1.5', 'a: b', '#x', 'null', ' a', '"'])('[issue 12.4] writes the text %s so that it stays a text', (value) => {
    const text = writeValue('', { name: 'host', kind: 'text' }, value);
    expect(text).toBe(`host: ${JSON.stringify(value)}\n`);
    expect(readValue(text, 'host')).toEqual({ kind: 'plain', value });
  });
});
