const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const QUANTITY = /^([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?(?:[eE]([+-]?\d+))?$/;

/** Reads a Kubernetes quantity (`250m`, `64Mi`, `2`, `1e3`); undefined when it is none. */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = typeof value === 'string' ? QUANTITY.exec(value) : null;
  if (match === null) return undefined;
  return Number(match[1]) * (SUFFIXES[match[2] ?? ''] ?? Number.NaN) * 10 ** Number(match[3] ?? 0);
}
