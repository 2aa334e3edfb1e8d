import { AppError } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { withoutCredentials } from '@/lib/kube/mask';
import { stripEnd } from '@/lib/std/text/strip';
import type { Impersonation } from './impersonation';

/** Stands for `spec.chart.dependencySecrets` where the definition in the cluster has no such field: `ADDRESS=NAME` or `ADDRESS=NAMESPACE/NAME`, comma by comma. */
export const DEPENDENCY_SECRETS = 'slipway.dev/dependency-secrets';

/** A Secret with the credentials of a repository or registry that dependencies come from. */
export interface DependencySecret {
  /** They are sent to what lies at this address or below it, and to no other host. */
  readonly url: string;
  readonly secret: { readonly name: string; readonly namespace?: string };
}

/** As whom dependencies are fetched, and with what. */
export interface DependencyAccess {
  readonly onBehalfOf: Impersonation;
  readonly secrets: readonly DependencySecret[];
}

const MAX_TOLD = 100;

/** Reads which Secrets a resource names for the repositories of its chart's dependencies. */
export function readDependencySecrets(written: readonly unknown[], annotation = ''): readonly DependencySecret[] {
  const told = written.map((entry) => {
    const text = (...members: readonly string[]) => readString(entry, ...members) ?? '';
    return toSecret(text('url'), text('secretRef', 'name'), text('secretRef', 'namespace'));
  });
  const noted = annotation.split(',').flatMap((text) => {
    const pair = text.trim();
    if (pair === '') return [];
    const [url, named] = [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)];
    const [first = '', second] = named.split('/');
    return [pair.includes('=') ? toSecret(url, second ?? first, second === undefined ? '' : first) : toSecret(pair, '', '')];
  });
  return [...told, ...noted];
}

function toSecret(url: string, name: string, namespace: string): DependencySecret {
  return { url, secret: { name, ...(namespace === '' ? {} : { namespace }) } };
}

/** The Secret for a repository: that of the longest address above it. Throws a sentence for an entry that is none, since nobody knows what it was meant for. */
export function secretFor(repository: string, secrets: readonly DependencySecret[]): DependencySecret['secret'] | undefined {
  const at = placeOf(repository);
  let found: { readonly secret: DependencySecret['secret']; readonly length: number } | undefined;
  for (const { url, secret } of secrets) {
    const above = placeOf(url);
    if (above === undefined || secret.name === '') throw new AppError('invalid', unnamedReason(url));
    const isAbove = at?.origin === above.origin && `${at.path}/`.startsWith(`${above.path}/`);
    if (isAbove && above.path.length >= (found?.length ?? 0)) found = { secret, length: above.path.length };
  }
  return found?.secret;
}

function unnamedReason(url: string): string {
  const found = JSON.stringify(withoutCredentials(url).slice(0, MAX_TOLD));
  return `the credentials of dependencies need an https, http or oci address without credentials in it, and the name of a Secret, found ${found}`;
}

/** Scheme, host and port of an address, and its path without a slash at its end. */
function placeOf(address: string): { readonly origin: string; readonly path: string } | undefined {
  const [, scheme = '', rest = ''] = /^(https?|oci):\/\/(.+)$/.exec(address) ?? [];
  // The parser knows hosts and ports of https alone.
  const url = scheme === '' || !URL.canParse(`https://${rest}`) ? undefined : new URL(scheme === 'oci' ? `https://${rest}` : address);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  return { origin: `${scheme} ${url.host}`, path: stripEnd(url.pathname, '/') };
}
