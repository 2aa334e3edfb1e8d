import { parseQuantity } from '@/lib/kube/quantity';

/** True when both are quantities of the same amount: the server rewrites `0.5` to `500m`, which is no change of ours. */
export function isSameQuantity(left: unknown, right: unknown): boolean {
  const a = parseQuantity(left);
  const b = parseQuantity(right);
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-12;
}
