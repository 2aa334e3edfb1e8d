import { readFields } from '@/lib/kube/fields';
import { parseQuantity } from '@/lib/kube/quantity';

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, number>;

/** Reads a map of quantities. */
export function toAmounts(from: unknown): Amounts {
  return new Map(Object.entries(readFields(from)).map(([name, value]) => [name, parseQuantity(value) ?? 0]));
}
