import type { FieldError } from '../api/failures';
import { invalidValue } from '../api/failures';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const isWhole = (pattern: string) => {
  const whole = new RegExp(`^${pattern}$`);
  return (text: string) => whole.test(text);
};
const isSubdomain = isWhole(SUBDOMAIN);
const isLabel = isWhole(LABEL);
const isQualifiedName = isWhole(QUALIFIED);
const isLabelValue = isWhole(LABEL_VALUE);
const isConfigKey = isWhole(CONFIG_KEY);

const SAYS_SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const SAYS_LABEL = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const SAYS_LABEL_VALUE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;
const nameOf = (what: string) =>
  `${what} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;

/** How the names of a kind are checked; each gives what is wrong. */
export type NameRule = (name: string) => readonly string[];

const tooLong = (name: string, most: number) => (name.length > most ? [`must be no more than ${most} characters`] : []);

export const subdomainName: NameRule = (name) => [...tooLong(name, 253), ...(isSubdomain(name) ? [] : [SAYS_SUBDOMAIN])];

// Dots get a sentence of their own.
const dotless =
  (is: (name: string) => boolean, says: string): NameRule =>
  (name) =>
    name.includes('.') ? ['must not contain dots'] : [...tooLong(name, 63), ...(is(name) ? [] : [says])]; // prettier-ignore

export const labelName: NameRule = dotless(isLabel, SAYS_LABEL);

/** Names of roles and bindings: whatever fits into a path. */
export const pathName: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** What is wrong with a key of labels and annotations. */
export function qualifiedName(key: string, what = 'name part'): readonly string[] {
  const parts = key.split('/');
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (parts.length > 2)
    return [
      `${nameOf(what === 'name part' ? 'a valid label key' : what)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const wrong: string[] = [];
  if (prefix === '') wrong.push('prefix part must be non-empty');
  else if (prefix !== undefined) wrong.push(...subdomainName(prefix).map((text) => `prefix part ${text}`));
  if (name === undefined || name === '')
    return [...wrong, 'name part must be non-empty', ...(isQualifiedName(name ?? '') ? [] : [nameOf('name part')])];
  if (name.length > 63) wrong.push('name part must be no more than 63 bytes');
  if (!isQualifiedName(name)) wrong.push(nameOf('name part'));
  return wrong;
}

/** What is wrong with the value of a label. */
export function labelValue(value: string): readonly string[] {
  if (value.length > 63) return ['must be no more than 63 bytes', ...(isLabelValue(value) ? [] : [SAYS_LABEL_VALUE])];
  return isLabelValue(value) ? [] : [SAYS_LABEL_VALUE];
}

/** Errors of the keys of a ConfigMap or Secret. */
export function configKeys(field: string, data: Readonly<Record<string, unknown>>): readonly FieldError[] {
  return Object.keys(data).flatMap((key) =>
    isConfigKey(key)
      ? []
      : [
          invalidValue(
            `${field}[${key}]`,
            key,
            `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${CONFIG_KEY}')`,
          ),
        ],
  ); // prettier-ignore
}
