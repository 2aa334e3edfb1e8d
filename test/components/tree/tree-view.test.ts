import { describe, expect, it } from 'vitest';
import { keyMoves } from '@/components/tree/tree-list';
import type { TreeView } from '@/components/tree/tree-view';
import { formatTreeView, parseTreeView, toggleMark } from '@/components/tree/tree-view';
import { pagesAround } from '@/components/ui/virtual/use-shown-pages';
import { MAX_CLOSED } from '@/lib/contract/lists/tree-query';
import { formatTopic, LONGEST_TOPIC, parseTopic } from '@/lib/contract/topic';

const VIEWS: readonly TreeView[] = [
  { query: {}, isGraph: false, object: null, isLook: false, tab: null, open: [] },
  {
    query: { q: 'a b&c=d', kind: 'Deployment.apps', status: 'unwell', closed: ['a1', 'b2'] },
    isGraph: false,
    object: 'Pod/shop/web-1',
    isLook: true,
    tab: 'manifest',
    open: [],
  },
  { query: { under: 'zz' }, isGraph: true, object: 'Pod/shop/web-1', isLook: false, tab: null, open: ['c3'] },
];

describe('the address of the objects of an application', () => {
  it.each(VIEWS)('[issue 14.3] says how they are shown, and is read as it was written (%#)', (view) => {
    expect(parseTreeView(new URLSearchParams(formatTreeView(view)))).toEqual(view);
  });

  it('[issue 14.3] that nobody wrote shows the list', () => {
    const view = parseTreeView(new URLSearchParams('status=nonsense&closed=../..&open=%00&page=7&look=1&tab=events&view=x'));
    expect(view).toEqual({ query: {}, isGraph: false, object: null, isLook: false, tab: null, open: [] });
  });

  it('[issue 14.3] names as many closed lines as a topic takes, and lets the first go', () => {
    const marks = Array.from({ length: MAX_CLOSED }, (_, at) => (at + 100_000_000).toString(36));
    expect(toggleMark(marks, 'zz')).toEqual([...marks.slice(1), 'zz']);
    expect(toggleMark(marks, marks[3] ?? '')).toHaveLength(MAX_CLOSED - 1);
    const topic = {
      kind: 'tree-location',
      ns: 'n'.repeat(63),
      name: 'a'.repeat(63),
      id: 'x'.repeat(300),
      query: { q: 'q'.repeat(200), closed: marks },
    } as const;
    expect(parseTopic(formatTopic(topic))).toEqual(topic);
  });
});

describe('topics of a tree', () => {
  it.each([
    { kind: 'tree', ns: 'shop', name: 'web', query: { q: 'a&b', page: 3 } },
    { kind: 'tree-location', ns: 'shop', name: 'web', id: 'Pod/shop/a?b', query: { kind: 'Pod' } },
    { kind: 'graph', ns: 'shop', name: 'web', open: ['a1'] },
  ] as const)('[issue 14.2] are read as they were written (%#)', (topic) => {
    expect(parseTopic(formatTopic(topic))).toEqual(topic);
  });

  it('[issue 11.2] are known by the name that they had in the release before', () => {
    const { id, ...topic } = { kind: 'tree-location', ns: 'shop', name: 'web', id: 'Pod/shop/a', query: {} } as const;
    expect(parseTopic(`tree-spot/shop/web?id=${encodeURIComponent(id)}`)).toEqual({ id, ...topic });
  });

  it.each(['tree/shop', 'graph/shop/web/more', 'tree-location/shop/web', `tree/shop/web?q=${'x'.repeat(LONGEST_TOPIC)}`])(
    '[issue 14.2] are none where they say too little or too much: %.30s',
    (text) => {
      expect(parseTopic(text)).toBeUndefined();
    },
  );
});

describe('the keys of the list', () => {
  const standing = { active: 5, total: 10_000, screen: 18, line: undefined };
  it.each([
    ['ArrowDown', 6],
    ['ArrowUp', 4],
    ['PageDown', 23],
    ['PageUp', 0],
    ['Home', 0],
    ['End', 9_999],
    ['x', undefined],
  ] as const)('[issue 14.2] %s leads to line %s', (key, to) => {
    expect(keyMoves(key, standing)).toBe(to);
  });
});

it('[issue 14.2] a list of ten thousand reads what is in sight and a screen around it', () => {
  expect(pagesAround(0, 800, 10_000)).toEqual({ first: 0, last: 0 });
  expect(pagesAround(200_000, 800, 10_000)).toEqual({ first: 99, last: 100 });
  expect(pagesAround(400_000, 800, 10_000)).toEqual({ first: 199, last: 199 });
  expect(pagesAround(0, 800, 0)).toEqual({ first: 0, last: 0 });
});
