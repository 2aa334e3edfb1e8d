import { describe, expect, it } from 'vitest';
import { parseChangeQuery } from '@/components/live/address/change-url';

describe('the filter of a change in an address', () => {
  it.each([
    ['', { page: 0 }],
    ['verdict=deleted&kind=ConfigMap&q=web&page=2', { verdict: 'deleted', kind: 'ConfigMap', q: 'web', page: 2 }],
    ['verdict=everything&page=-3', { page: 0 }],
    ['page=x', { page: 0 }],
  ])('[design 9] %s is read as what it can mean', (text, query) => {
    expect(JSON.parse(JSON.stringify(parseChangeQuery(new URLSearchParams(text))))).toEqual(query);
  });
});
