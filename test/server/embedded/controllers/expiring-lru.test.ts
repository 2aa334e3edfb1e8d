import { expect, it } from 'vitest';
import { ExpiringLru } from '@/server/embedded/controllers/expiring-lru';

it('[issue 10.6] what is over is forgotten from the one on that was used longest ago', () => {
  let now = 0;
  const remembered = new ExpiringLru<number>((at) => now - at >= 10);
  for (const key of ['a', 'b', 'c']) remembered.set(key, now++);
  now = 10;
  remembered.set('a', now);
  expect(['a', 'b', 'c'].map((key) => remembered.get(key))).toEqual([10, 1, 2]);
  now = 12;
  remembered.set('d', now);
  expect([remembered.get('a'), remembered.get('b'), remembered.get('c'), remembered.size]).toEqual([10, undefined, undefined, 2]);
});

it('[cluster K] never are more than 4096 remembered', () => {
  const remembered = new ExpiringLru<number>(() => false);
  for (let at = 0; at < 5000; at++) remembered.set(`${at}`, at);
  expect([remembered.size, remembered.get('903'), remembered.get('904')]).toEqual([4096, undefined, 904]);
});
