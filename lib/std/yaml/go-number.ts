import type { ScalarTag } from 'yaml';
import { toNumber } from '@/lib/std/exact-json';

/** A whole number of Go once the low lines are out of it: of base 16, 8, 2, again 8, and 10. */
const WHOLE = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9]\d*))$/;
const BASES = [16, 8, 2, 8, 10] as const;
const PREFIXES = { 2: '0b', 8: '0o', 10: '', 16: '0x' } as const;
/** `0b-1`, which is `-0b1`. */
const SIGN_INSIDE = /^0b([-+])/;
const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** Where the point comes first, low lines are left out only between digits. */
const POINT_FIRST = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const NOT_FINITE = /^(?:([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const SIGNED_LIMIT = 2n ** 63n;
const LIMIT = 2n ** 64n;

/**
 * What Go's library makes of a text that begins like a number (`resolve` of goyaml.v2, which Helm and the API server read by): a whole number of 64 bits keeps
 * its digits (record 0050). A commit such as `4e12345`, which is beyond all numbers, is a text; so are `.` and hexadecimal digits of more than 64 bits.
 */
export function goNumber(text: string): number | bigint | string {
  const [special, sign] = NOT_FINITE.exec(text) ?? [];
  if (special !== undefined) return sign === undefined ? Number.NaN : sign === '-' ? -Infinity : Infinity;
  if (text.startsWith('.') && !POINT_FIRST.test(text)) return text;
  const plain = text.replaceAll('_', '');
  const whole = wholeNumber(plain.replace(SIGN_INSIDE, '$10b'));
  if (whole !== undefined) return whole;
  const decimal = DECIMAL.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(decimal) ? decimal : text;
}

function wholeNumber(plain: string): number | bigint | undefined {
  const [, sign, ...digitsOf] = WHOLE.exec(plain) ?? [];
  const at = digitsOf.findIndex((digits) => digits !== undefined);
  const [base, digits] = [BASES[at], digitsOf[at]];
  if (base === undefined || digits === undefined) return undefined;
  const near = Number.parseInt(digits, base);
  if (Number.isSafeInteger(near)) return sign === '-' && near !== 0 ? -near : near;
  if (near > Number(LIMIT)) return undefined;
  const value = BigInt(`${PREFIXES[base]}${digits}`);
  if (sign === '-') return value > SIGNED_LIMIT ? undefined : toNumber(-value);
  return value < (sign === '+' ? SIGNED_LIMIT : LIMIT) ? toNumber(value) : undefined;
}

const NUMBER = { default: true, test: /^[-+.\d]/, resolve: goNumber } as const;

/** In the place of the tags for numbers that the parser brings. */
export const GO_NUMBERS: readonly ScalarTag[] = [
  { ...NUMBER, tag: 'tag:yaml.org,2002:int' },
  { ...NUMBER, tag: 'tag:yaml.org,2002:float' },
];
