import { expect, it } from 'vitest';
import { asSentence } from '@/components/ui/as-sentence';

it.each([
  ['the server closed the connection', 'The server closed the connection.'],
  ['it may not be read!', 'It may not be read!'],
  ['spec.template: field is immutable', 'spec.template: field is immutable.'],
  ['spec[0] must be a name', 'spec[0] must be a name.'],
  ['applications.core.oam.dev is forbidden', 'applications.core.oam.dev is forbidden.'],
  ['viewer may not do this: it requires the right "get" on pods', 'viewer may not do this: it requires the right "get" on pods.'],
  ['it may do that', 'It may do that.'],
  ['web-v2: 1 pod is not ready', 'web-v2: 1 pod is not ready.'],
  ['ended.', 'Ended.'],
  ['', '.'],
])('[design 14] %j stands by itself as %j: what is a name stays as it is written', (words, sentence) => {
  expect(asSentence(words)).toBe(sentence);
});
