import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A call of a git server as it came. */
export interface SignedCall {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type Scheme = (written: string, call: SignedCall, secret: string) => boolean;

const ALGORITHMS = ['sha256', 'sha384', 'sha512'];
/** Standard Webhooks writes its keys so. */
const KEY_PREFIX = 'whsec_';

/** How git servers sign; the first header that is there decides, so that nobody goes round a signature by adding a weaker proof. */
const SCHEMES: readonly (readonly [header: string, holds: Scheme])[] = [
  ['x-hub-signature-256', holdsPrefixed], // GitHub, and what is compatible with it
  ['x-gitea-signature', holdsPlain],
  ['x-forgejo-signature', holdsPlain],
  ['webhook-signature', holdsStandard], // GitLab with a signing token
  ['x-signature', holdsPrefixed], // the generic form, as the notification controller of Flux takes it
  ['x-gitlab-token', (written, _call, secret) => isEqual(written, secret)],
];

/** True when a call was signed by, or carries, the secret. Takes as long for a wrong proof as for the right one. */
export function isSignedBy(secret: string, call: SignedCall): boolean {
  for (const [header, holds] of SCHEMES) {
    const written = call.headers[header];
    if (written !== undefined) return holds(written.trim(), call, secret);
  }
  return false;
}

/** `sha256=` and hexadecimal digits. SHA-1 is not taken. */
function holdsPrefixed(written: string, { body }: SignedCall, secret: string): boolean {
  const [algorithm = '', digest = ''] = written.split('=', 2);
  return ALGORITHMS.includes(algorithm) && isEqual(digest.toLowerCase(), createHmac(algorithm, secret).update(body).digest('hex'));
}

function holdsPlain(written: string, { body }: SignedCall, secret: string): boolean {
  return isEqual(written.toLowerCase(), createHmac('sha256', secret).update(body).digest('hex'));
}

/** `v1,` and base64, several apart by spaces while a key is exchanged; over id, time and body. */
function holdsStandard(written: string, { headers, body }: SignedCall, secret: string): boolean {
  const key = secret.startsWith(KEY_PREFIX) ? Buffer.from(secret.slice(KEY_PREFIX.length), 'base64') : secret;
  if (key.length === 0) return false; // by nothing anybody signs
  const begin = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.`;
  const wanted = `v1,${createHmac('sha256', key).update(begin).update(body).digest('base64')}`;
  return written.split(' ').some((one) => isEqual(one, wanted));
}

/** Compares digests, which are of one length whatever was written. */
function isEqual(written: string, wanted: string): boolean {
  const [a, b] = [written, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
