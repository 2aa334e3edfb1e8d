import { describe, expect, it } from 'vitest';
import { changeListUrl } from '@/components/live/address/list-url';

describe('the address of a list', () => {
  it.each([
    ['a filter goes to the first page', 'page=3&q=web', { health: 'Failed' }, 'q=web&health=Failed'],
    ['a page keeps the filter', 'q=web', { page: 2 }, 'q=web&page=2'],
    ['the first page is not written', 'q=web&page=2', { page: 0 }, 'q=web'],
    ['what is emptied is taken out', 'q=web&health=Failed', { q: '' }, 'health=Failed'],
    ['descending is written as 1', '', { sort: 'name', desc: true }, 'sort=name&desc=1'],
    ['ascending is not written', 'sort=name&desc=1', { sort: 'name', desc: false }, 'sort=name'],
  ] as const)('[design 7] %s', (_title, from, change, to) => {
    expect(changeListUrl(new URLSearchParams(from), change)).toBe(to);
  });
});
