const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_DOMAIN = 253;

/** True for the key of a label: at most one prefix that is a domain, then up to 63 characters. */
export function isLabelKey(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return more.length === 0 && NAME.test(name) && (prefix === undefined || (prefix.length <= LONGEST_DOMAIN && DOMAIN.test(prefix)));
}

/** True for what a label may have as its value; an empty one is. */
export function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value);
}
