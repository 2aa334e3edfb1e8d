const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?)|[eE]([+-]?\d+))$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO = 1_000_000_000n;

/** A quantity in its canonical form (`0.5Gi` is `512Mi`, `0.1` is `100m`); undefined when it is none. */
export function parseQuantity(text: string): string | undefined {
  const found = SHAPE.exec(text);
  if (!found) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent] = found;
  if (whole === '' && fraction === '') return undefined;
  const binary = BINARY.indexOf(suffix);
  const power = exponent !== undefined ? Number(exponent) : binary > 0 ? 0 : (DECIMAL.indexOf(suffix) - 3) * 3;
  const scaled = scale(BigInt(`${whole}${fraction}`) * (binary > 0 ? 1024n ** BigInt(binary) : 1n), 9 + power - fraction.length);
  const minus = sign === '-' && scaled !== 0n ? '-' : '';
  if (exponent !== undefined) return minus + toExponent(scaled);
  const isBinary = binary > 0 && scaled % NANO === 0n && scaled / NANO >= 1024n;
  return minus + (isBinary ? withSuffix(scaled / NANO, BINARY, 1024n) : withSuffix(scaled, DECIMAL, 1000n));
}

// Rounds up, as the API server does with what is finer than a nano.
function scale(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const by = 10n ** BigInt(-power);
  return (value + by - 1n) / by;
}

/** With the largest suffix that leaves a whole number; each stands for so many of the one before it. */
function withSuffix(count: bigint, suffixes: readonly string[], each: bigint): string {
  if (count === 0n) return '0';
  let value = count;
  let step = 0;
  while (value % each === 0n && step < suffixes.length - 1) {
    value /= each;
    step++;
  }
  return `${value}${suffixes[step]}`;
}

function toExponent(nanos: bigint): string {
  if (nanos === 0n) return '0';
  let value = nanos;
  let power = -9;
  while (value % 1000n === 0n) {
    value /= 1000n;
    power += 3;
  }
  return power === 0 ? `${value}` : `${value}e${power}`;
}
