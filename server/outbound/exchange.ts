import type { IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { AppError } from '@/lib/contract/app-error';
import type { Pinned } from './pin';
import { isLiteral } from './pin';

interface Hop {
  readonly url: URL;
  readonly pinned: Pinned;
  readonly headers: Readonly<Record<string, string>>;
  /** The only authorities that are trusted; those of the system when absent. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_HEADER_BYTES = 32 * 1024;

/** Sends one GET to an address that was pinned, and answers once the head of the answer is there. */
export function exchange({ url, pinned, headers, ca, signal }: Hop): Promise<IncomingMessage> {
  const options: RequestOptions & https.RequestOptions = {
    method: 'GET',
    hostname: pinned.host,
    port: pinned.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, 'user-agent': 'slipway' },
    agent: false,
    lookup: lookupOf(pinned),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    rejectUnauthorized: true,
    servername: isLiteral(pinned.host) ? '' : pinned.host,
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? https.request(options) : http.request(options);
    request.on('response', resolve);
    request.on('error', (error) => reject(signal.aborted ? signal.reason : toSentence(error, pinned)));
    request.end();
  });
}

/** Answers what was pinned, whoever asks and however often. */
function lookupOf({ addresses }: Pinned): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, { all: wantsAll }, answer) => {
    if (wantsAll) answer(null, all);
    else answer(null, addresses[0], all[0]?.family ?? 4);
  };
}

/** Node's own words name the address, which is nobody's business. */
function toSentence(error: unknown, { host, port }: Pick<Pinned, 'host' | 'port'>): AppError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no reason given';
  return new AppError('unavailable', `${isIPv6(host) ? `[${host}]` : host}:${port} could not be reached (${code})`, { cause: error });
}
