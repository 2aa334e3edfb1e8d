import { deepEqual } from '../std/deep-equal';
import type { Fields } from './fields';
import { isFields } from './fields';

/** What stands in place of a secret value. */
export const MASK = '••••••••';

// All of a Secret that is no secret. The rest is masked, since a value may stand under a misspelt name.
const TOLD: readonly string[] = ['apiVersion', 'kind', 'metadata', 'type', 'immutable'];

// Copies of a whole manifest, in which a Secret would be told once more.
const COPIES = ['kubectl.kubernetes.io/last-applied-configuration', 'app.oam.dev/last-applied-configuration'];

/** True for what is a Secret, or the manifest of one in another object, with a slip in its kind or version as well. */
export function isSecretLike(value: unknown): boolean {
  return isFields(value) && isCoreKind(value, 'secret');
}

/** Its members need not say what they are. */
const isSecretList = (value: Fields) => isCoreKind(value, 'secretlist');

/** Kinds of other groups are something else, whatever they are called. */
function isCoreKind({ kind, apiVersion }: Fields, name: string): boolean {
  if (typeof kind !== 'string' || kind.toLowerCase() !== name) return false;
  return typeof apiVersion !== 'string' || !apiVersion.includes('/');
}

/** True when the member of a Secret at this name must not be told. */
export function isSecretMember(owner: unknown, name: string): boolean {
  return isSecretLike(owner) && !TOLD.includes(name);
}

/** True for a variable that says its value is sensitive. */
export function isSensitiveEntry(value: unknown): value is Fields {
  return isFields(value) && value.sensitive === true && typeof value.name === 'string';
}

/** True for an annotation that holds a whole manifest once more. */
export function isManifestCopy(annotation: string): boolean {
  return COPIES.includes(annotation);
}

// Other tools note a whole manifest as well, under names of their own: packed, or as text, which may lie in another text once more.
const PACKED = /^H4sI/;
const TELLS_VALUES = /\bkind[\\"']*\s*:\s*[\\"']*Secret\b|\bsensitive[\\"']*\s*:\s*[\\"']*true\b/;

/** True for the text of an annotation that may hold a manifest with values that nobody is to read. */
export function containsManifest(text: unknown): boolean {
  return typeof text === 'string' && (PACKED.test(text) || TELLS_VALUES.test(text));
}

/** True when there is a Secret in a value, however deep. */
export function holdsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isFields(value) && (isSecretLike(value) || isSecretList(value))) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) if (holdsSecret(member)) return true;
  return false;
}

/** A value as people may read it: every Secret and sensitive variable in it, however deep, without its values, and whether there was one. */
export function maskSecrets(value: unknown): { readonly value: unknown; readonly masked: boolean } {
  let masked = false;
  const masking = (annotations: Fields, hides: (text: unknown) => boolean): Fields => {
    const told = Object.entries(withoutCopies(annotations)).map(([name, text]) => [name, hides(text) ? MASK : text]);
    masked ||= told.some(([, text]) => text === MASK);
    return Object.fromEntries(told);
  };
  const walk = (at: unknown, secret = isSecretLike(at)): unknown => {
    if (Array.isArray(at)) return at.map((member) => walk(member));
    if (!isFields(at)) return at;
    const sensitive = isSensitiveEntry(at) && at.value !== undefined;
    if (secret || sensitive) masked = true;
    return Object.fromEntries(
      Object.entries(at).map(([name, member]) => {
        if (secret && !TOLD.includes(name)) return [name, maskAll(member)];
        if (sensitive && name === 'value') return [name, MASK];
        if (name === 'items' && Array.isArray(member) && isSecretList(at)) return [name, member.map((one) => walk(one, true))];
        if (name === 'annotations' && isFields(member)) return [name, masking(member, containsManifest)];
        if (secret && name === 'metadata' && isFields(member) && isFields(member.annotations))
          return [name, { ...member, annotations: masking(member.annotations, mayTellSecret) }];
        return [name, walk(member)];
      }),
    );
  };
  return { value: walk(value), masked };
}

function maskAll(data: unknown): unknown {
  return isFields(data) ? Object.fromEntries(Object.keys(data).map((key) => [key, MASK])) : MASK;
}

function withoutCopies(annotations: Fields): Fields {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !COPIES.includes(name)));
}

// Of a Secret any manifest is one of its own.
const LIKE_A_COPY = /^\s*[[{]/;
const mayTellSecret = (text: unknown) => containsManifest(text) || (typeof text === 'string' && LIKE_A_COPY.test(text));

/** A token stands in the place of a name as well, and is longer than names are. */
const SHORTEST_TOKEN = 20;

/**
 * A text without the name and password, or the token, of an address in it. It goes through the text once: a pattern would begin anew at each place where an
 * address might, which takes hours for a text that somebody made for that.
 */
export function hideCredentials(text: string): string {
  let [told, from] = ['', 0];
  let sign = text.indexOf('@');
  for (let at = text.indexOf('://'); at >= 0 && sign >= 0; ) {
    const next = text.indexOf('://', at + 3);
    if (sign < at) sign = text.indexOf('@', at);
    const end =
      sign < 0 || (next >= 0 && sign > next)
        ? 0
        : endOfCredentials(text.slice(at + 3, next < 0 ? undefined : next), /https?$/i.test(text.slice(Math.max(0, at - 5), at)));
    if (end > 0) {
      told += `${text.slice(from, at + 3)}${MASK}`;
      from = at + 3 + end;
    }
    at = next;
  }
  return told + text.slice(from);
}

/** How much of what follows `://` is credentials; 0 for none. */
function endOfCredentials(rest: string, isWeb: boolean): number {
  const [word = ''] = rest.split(/[\s"']/, 1);
  const [place = ''] = word.split('/', 1);
  const at = place.lastIndexOf('@');
  const [name = '', password] = splitOnce(at < 0 ? place : place.slice(0, at));
  if (at >= 0) return password || (password === undefined && isWeb && name.length >= SHORTEST_TOKEN) ? at : 0;
  // What follows the colon is no port, so the slash belongs to a password.
  const isCut = password !== undefined && !place.startsWith('[') && !/^\d*$/.test(password);
  return isCut ? Math.max(0, word.lastIndexOf('@')) : 0;
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** The manifest of a Secret, with what it holds, in a text: in a file of a ConfigMap, a value of a chart. */
const HAS_MANIFEST = /\bkind[\\"']*\s*:\s*[\\"']*Secret(?:List)?\b/i;
const HAS_DATA = /\b(?:data|stringData)[\\"']*\s*:/;

/** A text as people may read it: nothing of one that holds a Secret, and no credentials in an address. */
export function hideInText(text: string): string {
  return HAS_MANIFEST.test(text) && HAS_DATA.test(text) ? MASK : hideCredentials(text);
}

/** An address as it is shown where nobody edits it: without a password, and without a user where a user may be a token. */
export function withoutCredentials(address: string): string {
  return withoutHidden(hideCredentials(address)).replace(/^((?:https?|oci):\/\/)[^/@]*@/i, '$1');
}

/** A text without what hides the whole of it, or the credentials of an address in it. */
export const withoutHidden = (text: string) => (text === MASK ? '' : text.replaceAll(`://${MASK}@`, '://'));

/** A whole object as people read it: as `maskSecrets`, and without Secrets and credentials in its texts. */
export function maskForReading(value: unknown): { readonly value: unknown; readonly masked: boolean } {
  const { value: told, masked } = maskSecrets(value);
  let hidden = masked;
  const shown = mapTexts(told, (at) => {
    const text = hideInText(at);
    hidden ||= text !== at;
    return text;
  });
  return { value: shown, masked: hidden };
}

/**
 * What `maskForReading` makes of the newer state of something: where the same is shown of the older one, and something else is hidden, it says so, since two
 * masks look the same.
 */
export function maskBesideOlder(older: unknown, newer: unknown): unknown {
  const mark = (shown: readonly [unknown, unknown], hidden: readonly [unknown, unknown]): unknown => {
    const [before, after] = shown;
    if (typeof after === 'string')
      return before === after && hidden[0] !== undefined && after.includes(MASK) && !deepEqual(hidden[0], hidden[1])
        ? `${after} (another value)`
        : after;
    const inside = (at: string | number): unknown =>
      mark([memberOf(before, at), memberOf(after, at)], [memberOf(hidden[0], at), memberOf(hidden[1], at)]);
    if (Array.isArray(after)) return after.map((_, at) => inside(at));
    return isFields(after) ? Object.fromEntries(Object.keys(after).map((name) => [name, inside(name)])) : after;
  };
  return mark([maskForReading(older).value, maskForReading(newer).value], [older, newer]);
}

function memberOf(value: unknown, at: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, at)
    ? (value as Record<string | number, unknown>)[at]
    : undefined;
}

/** A value with each text in it changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, change));
  return isFields(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)])) : value;
}

// `key` alone names anything; behind these it is one that opens something.
const SECRET_NAME =
  /(?:password|passwd|passphrase|secret|token|credential|(?:^|_)(?:pass|pwd)|(?:api|access|private|secret|signing|encryption|master|shared|license)_?key)s?$/;
/** `existingSecret` and `imagePullSecrets` hold names. */
const NAMES_A_SECRET = /(?:^|_)(?:existing|external|pull)_/;
/** What stands under the name of a secret and is none. */
const ABOUT_A_SECRET = /^(?:name|namespace|annotations|labels|type|kind|path)$/;

/** True for the name of a member, or of a variable, that says its value is a secret, however it is written: `rootPassword`, `ROOT_PASSWORD`. */
export function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .replaceAll(/[-.]/g, '_')
    .toLowerCase();
  return SECRET_NAME.test(words) && !NAMES_A_SECRET.test(words);
}

/** True for the member of something secret that only says what that is called. */
export const isAboutSecret = (name: string) => ABOUT_A_SECRET.test(name);

/** What nobody is to read of values that no one marked, by the names under which they stand, and what `maskForReading` would hide. */
export function secretsIn(value: unknown, isSecret = false): readonly unknown[] {
  if (typeof value === 'string') return isSecret || hideInText(value) !== value ? [value] : [];
  if (typeof value === 'number' || typeof value === 'bigint') return isSecret ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((member) => secretsIn(member, isSecret));
  if (!isFields(value)) return [];
  const isNamed = value.sensitive === true || (typeof value.name === 'string' && namesSecret(value.name));
  return Object.entries(value).flatMap(([name, member]) => {
    if (isSecret && isAboutSecret(name)) return [];
    return secretsIn(member, isSecret || namesSecret(name) || isSecretMember(value, name) || (isNamed && name === 'value'));
  });
}

/** True when a masked value was written back, which would replace the secret by its mask. */
export function carriesMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  if (Array.isArray(value)) return value.some(carriesMask);
  return isFields(value) && Object.values(value).some(carriesMask);
}
