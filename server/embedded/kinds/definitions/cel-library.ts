import { isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { goPattern } from './go-pattern';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const NAMED: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: (text) => text.length <= 63 && new RegExp(`^${LABEL}$`).test(text),
  dns1123Subdomain: (text) => text.length <= 253 && new RegExp(`^${LABEL}(\\.${LABEL})*$`).test(text),
  dns1035Label: (text) => text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text),
  dns1123LabelPrefix: (text) => NAMED.dns1123Label?.(text.replace(/-$/, 'a')) === true,
  dns1123SubdomainPrefix: (text) => NAMED.dns1123Subdomain?.(text.replace(/-$/, 'a')) === true,
  dns1035LabelPrefix: (text) => NAMED.dns1035Label?.(text.replace(/-$/, 'a')) === true,
  qualifiedName: (text) => /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,62})?[A-Za-z0-9]$/.test(text),
  labelValue: (text) => text.length <= 63 && /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(text),
  uri: isUrl,
  uuid: (text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** `matches` of the library reads patterns as JavaScript does; this one as Go does. */
export const MATCHES = 'goMatches';

/** A rule on a text, by name: `format.dns1123Label()`. */
class Format {
  readonly holds: (text: string) => boolean;
  constructor(holds: (text: string) => boolean) {
    this.holds = holds;
  }
}
class FormatNamespace {}

type Comparable = string | number | bigint | boolean | Date;
type List = readonly Comparable[];

/** What the API server's CEL has beside the language itself: lists, texts, addresses, named formats. */
export function registerLibrary(environment: Environment): Environment {
  registerLists(environment);
  registerTexts(environment);
  registerFormats(environment);
  return environment
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('isCIDR(string): bool', isCidr)
    .registerFunction('isURL(string): bool', isUrl);
}

function registerLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: List) => list.every((item, at) => at === 0 || (list[at - 1] as Comparable) <= item))
    .registerFunction('list.sum(): dyn', (list: readonly (number | bigint)[]) => list.reduce((sum, item) => add(sum, item), noneOf(list)))
    .registerFunction('list.min(): dyn', (list: List) => furthest(list, (item, best) => item < best, 'min called on empty list'))
    .registerFunction('list.max(): dyn', (list: List) => furthest(list, (item, best) => item > best, 'max called on empty list'))
    .registerFunction('list.indexOf(dyn): int', (list: List, item: Comparable) => BigInt(list.indexOf(item)))
    .registerFunction('list.lastIndexOf(dyn): int', (list: List, item: Comparable) => BigInt(list.lastIndexOf(item)));
}

const noneOf = (list: readonly (number | bigint)[]) => (typeof list[0] === 'number' ? 0 : 0n);
const add = (a: number | bigint, b: number | bigint) => (typeof a === 'bigint' && typeof b === 'bigint' ? a + b : Number(a) + Number(b));

function furthest(list: List, isFurther: (item: Comparable, best: Comparable) => boolean, ifEmpty: string): Comparable {
  if (list.length === 0) throw new Error(ifEmpty);
  return list.reduce((best, item) => (isFurther(item, best) ? item : best));
}

function registerTexts(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
      if (at < 0n || at > text.length) throw new Error(`index out of range: ${at}`);
      return text.charAt(Number(at));
    })
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, () => to))
    .registerFunction('string.find(string): string', (text: string, pattern: string) => goPattern(pattern).exec(text)?.[0] ?? '')
    .registerFunction(`string.${MATCHES}(string): bool`, (text: string, pattern: string) => goPattern(pattern).test(text))
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(goPattern(pattern), `g${goPattern(pattern).flags}`))].map(([found]) => found),
    )
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''));
}

function registerFormats(environment: Environment): void {
  environment.registerType('Format', Format).registerType('FormatNamespace', FormatNamespace);
  environment.registerConstant('format', 'FormatNamespace', new FormatNamespace());
  for (const [name, holds] of Object.entries(NAMED)) {
    const format = new Format(holds);
    environment.registerFunction(`FormatNamespace.${name}(): Format`, () => format);
  }
  // What is wrong with the text, or nothing.
  environment.registerFunction('Format.validate(string): optional<list<string>>', ({ holds }: Format, text: string) =>
    holds(text) ? Optional.none() : Optional.of([`does not match the format: ${text}`]),
  );
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const family = isIP(address);
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

// As Go parses a URI of a request: with a scheme, or from the root.
function isUrl(text: string): boolean {
  return text.startsWith('/') ? URL.canParse(text, 'http://host') : /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text);
}
