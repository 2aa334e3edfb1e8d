import { describe, expect, it, vi } from 'vitest';
import { parseLabelSelector } from '@/server/status/cluster/label-selector';

const expression = (key: string, operator: string, values?: readonly string[]) => ({ matchExpressions: [{ key, operator, values }] });

describe('label selectors', () => {
  it.each([
    [{ matchLabels: { tier: 'web', app: 'shop' } }, 'app=shop,tier=web'],
    [expression('tier', 'In', ['b', 'a']), 'tier in (a,b)'],
    [expression('tier', 'NotIn', ['a']), 'tier notin (a)'],
    [expression('tier', 'Exists'), 'tier'],
    [expression('tier', 'DoesNotExist'), '!tier'],
    [{}, ''],
    [{ matchLabels: null }, ''],
    [{ matchLabels: { app: null, 'shop.test/a_b.C': '' } }, 'app=,shop.test/a_b.C='],
  ])('[status 8.4] writes %j in canonical form', (selector, text) => {
    expect(parseLabelSelector(selector).text).toBe(text);
  });

  it('[issue 13] writes its canonical form once, however often it is asked', () => {
    const selector = parseLabelSelector({ matchLabels: { tier: 'web', app: 'shop' } });
    const sort = vi.spyOn(Array.prototype, 'sort');
    const texts = [selector.text, selector.text];
    const sorted = sort.mock.calls.length;
    sort.mockRestore();
    expect([texts, sorted]).toEqual([['app=shop,tier=web', 'app=shop,tier=web'], 1]);
  });

  it.each([
    [{ matchLabels: { app: 'shop' } }, { app: 'shop', more: 'x' }, true],
    [{ matchLabels: { app: 'shop' } }, {}, false],
    [expression('tier', 'In', ['a', 'b']), { tier: 'b' }, true],
    [expression('tier', 'In', ['a']), {}, false],
    [expression('tier', 'NotIn', ['a']), {}, true],
    [expression('tier', 'NotIn', ['a']), { tier: 'a' }, false],
    [expression('tier', 'Exists'), { tier: '' }, true],
    [expression('tier', 'DoesNotExist'), { tier: '' }, false],
    [{}, { anything: 'at all' }, true],
  ])('[status 8.4] judges %j on %j', (selector, labels, expected) => {
    expect(parseLabelSelector(selector).matches(labels)).toBe(expected);
  });

  it.each([
    [expression('tier', 'Near', ['a']), '"Near" is not a valid label selector operator'],
    [expression('tier', 'In', []), "values set can't be empty"],
    [expression('tier', 'Exists', ['a']), 'values set must be empty'],
    [{ matchLabels: { app: 1 } }, 'matchLabels.app must be a string'],
    [null, 'a label selector must be a map'],
    [{ matchLabels: { 'a b': 'x' } }, '"a b" is not a valid label key'],
    [{ matchLabels: { 'a/b/c': 'x' } }, '"a/b/c" is not a valid label key'],
    [{ matchLabels: { 'Upper.test/app': 'x' } }, '"Upper.test/app" is not a valid label key'],
    [{ matchLabels: { ['x'.repeat(64)]: 'x' } }, 'is not a valid label key'],
    [{ matchLabels: { app: 'a b' } }, '"a b" is not a valid label value'],
    [expression('', 'Exists'), '"" is not a valid label key'],
    [expression('tier', 'NotIn', ['-a']), '"-a" is not a valid label value'],
    [{ matchExpressions: [{ key: 'tier', operator: 'Exists', values: 'a' }] }, 'values must be a list'],
    [{ matchExpressions: [null] }, '"" is not a valid label selector operator'],
  ])('[status 8.4] refuses %j with a sentence', (selector, sentence) => {
    expect(() => parseLabelSelector(selector)).toThrow(sentence);
  });

  it('[status 8.4] does not take inherited members for labels', () => {
    expect(parseLabelSelector(expression('constructor', 'Exists')).matches({})).toBe(false);
  });
});
