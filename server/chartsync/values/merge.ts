import type { Fields } from '@/lib/kube/fields';
import { isFields } from '@/lib/kube/fields';

/** Lays values over others: maps are merged deeply, everything else is replaced (X-VAL-1). */
export function mergeValues(under: Fields, over: Fields): Fields {
  const merged = new Map<string, unknown>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isFields(below) && isFields(value) ? mergeValues(below, value) : value);
  }
  return Object.fromEntries(merged);
}
