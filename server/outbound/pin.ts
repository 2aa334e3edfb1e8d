import { promises as dns } from 'node:dns';
import { AppError } from '@/lib/contract/app-error';
import { parseAddress } from '@/server/platform';
import type { OutboundPolicy } from './policy';
import { canonicalHost, refusalOf } from './policy';

/** Asks for the addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** A host whose addresses were looked up once and may all be connected to; nobody is to look them up again. */
export interface Pinned {
  /** As all compare it: lower case, without a dot at its end. */
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly [string, ...string[]];
}

/** Where to, by whose leave. */
interface Wanted {
  readonly host: string;
  readonly port: number;
  readonly policy: OutboundPolicy;
  readonly lookup: Lookup;
  readonly signal: AbortSignal;
}

/** The addresses as the system looks names up. */
export const systemLookup: Lookup = async (host) => (await dns.lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Looks a host up and keeps the addresses that may be connected to; throws a sentence when there is none. */
export async function pin({ host: written, port, policy, lookup, signal }: Wanted): Promise<Pinned> {
  const host = canonicalHost(written);
  if (host === undefined) throw new AppError('invalid', `${JSON.stringify(written)} is not a host name`);
  const found = parseAddress(host) === undefined ? await look(host, lookup, signal) : [host];
  const evaluated = found.flatMap((text) => {
    const address = parseAddress(text);
    return address === undefined ? [] : [{ text, refusal: refusalOf(policy, { host, port, address }) }];
  });
  const [first, ...others] = evaluated.filter(({ refusal }) => refusal === undefined).map(({ text }) => text);
  if (first === undefined) throw new AppError('rejected', evaluated[0]?.refusal ?? `${host} has no address`);
  return { host, port, addresses: [first, ...others] };
}

/** The system takes no signal, so whoever waits is let go. */
async function look(host: string, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([lookup(host), aborted]);
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('unavailable', `the name ${host} could not be resolved`, { cause: error });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** True for an address that stands in a URL itself. */
export function isLiteral(host: string): boolean {
  return parseAddress(host) !== undefined;
}
