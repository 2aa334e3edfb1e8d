import { expect, it } from 'vitest';
import { programOf } from '@/server/embedded/kinds/definitions/cel-program';
import { loadNextWithOwnDate } from '@/server/http-server';

it('[cluster X3] rules know points in time also once Next is loaded, which puts another Date in place of the global one', () => {
  const holds = programOf("self.when > timestamp('2000-01-01T00:00:00Z')");
  const when = (text: string) => ({ self: { when: new Date(text) } });
  const before = Date;
  loadNextWithOwnDate();
  expect(Date).toBe(before);
  expect([holds(when('2001-01-01T00:00:00Z')), holds(when('1999-01-01T00:00:00Z'))]).toEqual([true, false]);
});
