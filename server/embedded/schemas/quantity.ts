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
  return minus + (binary > 0 && scaled % NANO === 0n && scaled / NANO >= 1024n ? toBinary(scaled / NANO) : toDecimal(scaled));
}

// Rounds up, as the API server does with what is finer than a nano.
function scale(value: bigint, power: number): bigint {
  if (power >= 0) return value * 10n ** BigInt(power);
  const by = 10n ** BigInt(-power);
  return (value + by - 1n) / by;
}

function toBinary(bytes: bigint): string {
  let value = bytes;
  let step = 0;
  while (value % 1024n === 0n && step < BINARY.length - 1) {
    value /= 1024n;
    step++;
  }
  return `${value}${BINARY[step]}`;
}

function toDecimal(nanos: bigint): string {
  if (nanos === 0n) return '0';
  let value = nanos;
  let step = 0;
  while (value % 1000n === 0n && step < DECIMAL.length - 1) {
    value /= 1000n;
    step++;
  }
  return `${value}${DECIMAL[step]}`;
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
