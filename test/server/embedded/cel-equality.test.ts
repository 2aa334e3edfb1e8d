import { expect, it } from 'vitest';
import { brokenRules } from '@/server/embedded/kinds/definitions/cel-rules';
import type { Structural } from '@/server/embedded/kinds/definitions/structural';

const time: Structural = { type: 'string', format: 'date-time' };
const IMMUTABLE: Structural = {
  type: 'object',
  'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'it is never changed' }],
  properties: {
    at: time,
    wait: { type: 'string', format: 'duration' },
    bytes: { type: 'string', format: 'byte' },
    steps: { type: 'array', items: { type: 'object', properties: { at: time } } },
  },
};
const VALUE = { at: '2026-01-01T00:00:00Z', wait: '1h', bytes: 'YQ==', steps: [{ at: '2026-01-01T00:00:00Z' }] };

it.each([
  ['at', '2026-01-01T00:00:01Z'],
  ['wait', '2h'],
  ['bytes', 'Yg=='],
  ['steps', [{ at: '2026-01-01T00:00:09Z' }]],
])('[cluster 6] compares objects that hold times, spans and bytes: a change of %s is seen, and none where there is none', (key, other) => {
  expect(brokenRules(VALUE, structuredClone(VALUE), IMMUTABLE, 'spec')).toEqual([]);
  expect(brokenRules({ ...VALUE, [key]: other }, VALUE, IMMUTABLE, 'spec')).toMatchObject([
    { message: 'Invalid value: it is never changed' },
  ]);
});
