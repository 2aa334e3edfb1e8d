import { expect, it } from 'vitest';
import { PendingTriggers } from '@/server/chartsync/pending-triggers';
import type { Trigger } from '@/server/chartsync/ports';

it.each<[string, readonly Trigger[], Trigger]>([
  ['the last of what tries nothing again that was cancelled', ['repository', 'commit'], 'commit'],
  ['the resource itself, which changed after a commit', ['commit', 'resource'], 'resource'],
  ['a person, of whose decision a fetch that ends after it takes nothing', ['decision', 'commit'], 'decision'],
  ['a person, also where the resource changes or values move meanwhile', ['decision', 'resource', 'values'], 'decision'],
  ['a person who decides after something else asked', ['values', 'decision'], 'decision'],
  ['other values, which a commit elsewhere does not hide', ['values', 'commit'], 'values'],
])('[issue 12.1] the next look is asked for by %s', (_title, asked, by) => {
  const looks = new PendingTriggers();
  for (const one of asked) looks.ask('u', one);
  expect(looks.take('other')).toBeUndefined();
  expect(looks.take('u')).toBe(by);
  expect(looks.take('u')).toBeUndefined(); // the one after it is asked for anew
});
