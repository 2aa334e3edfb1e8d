import { describe, expect, it } from 'vitest';
import { parseQuantity } from '@/lib/kube/quantity';

describe('parseQuantity', () => {
  it.each([
    ['250m', 0.25],
    ['64Mi', 64 * 2 ** 20],
    ['2', 2],
    ['1e3', 1000],
    ['.5', 0.5],
    ['2G', 2e9],
    [3, 3],
    ['two', undefined],
    ['1Xi', undefined],
    [undefined, undefined],
  ])('[cluster P1] reads %j as %j', (text, amount) => {
    expect(parseQuantity(text)).toBe(amount);
  });
});
