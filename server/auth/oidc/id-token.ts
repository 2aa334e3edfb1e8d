import { constants, createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import type { Instant } from '@/lib/std/instant';
import type { ProviderKey } from './provider';

/** Clocks of two machines may differ by so much. */
const SKEW_SECONDS = 60;

// What `crit` names has to be understood (RFC 7515), and nothing is.
const header = z.object({ alg: z.enum(['RS256', 'PS256', 'ES256']), kid: z.string().optional(), crit: z.never().optional() });
const claims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nonce: z.string().optional(),
  email_verified: z.boolean().optional(),
  groups: z.array(z.string()).optional(),
});

/** What a provider says of somebody who signed in there. */
export type Claims = z.infer<typeof claims>;

/** What a token must be about, and by whom. */
export interface ExpectedClaims {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly keys: readonly ProviderKey[];
  readonly now: Instant;
}

/** The claims of an ID token that this provider signed for this client and this sign-in, and that holds now; throws unauthenticated for any other. */
export function readIdToken(token: string, expected: ExpectedClaims): Claims {
  const [head = '', body = '', signature = ''] = token.split('.');
  const { alg, kid } = parse(header, head, 'header');
  const signed = Buffer.from(`${head}.${body}`);
  const keys = expected.keys.filter(
    (key) => key.kty === (alg === 'ES256' ? 'EC' : 'RSA') && key.use !== 'enc' && (kid === undefined || key.kid === kid),
  );
  if (!keys.some((key) => isSigned({ alg, signed, signature: Buffer.from(signature, 'base64url'), key })))
    throw refused('it is not signed by the provider');
  const found = parse(claims, body, 'claims');
  const why = refusalReason(found, expected);
  if (why !== undefined) throw refused(why);
  return found;
}

interface Signed {
  readonly alg: z.infer<typeof header>['alg'];
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly key: ProviderKey;
}

function isSigned({ alg, signed, signature, key: jwk }: Signed): boolean {
  try {
    const key = createPublicKey({ format: 'jwk', key: jwk });
    if (alg === 'ES256')
      return (
        key.asymmetricKeyDetails?.namedCurve === 'prime256v1' && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
      );
    const padding = alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
    return verify('sha256', signed, { key, ...padding }, signature);
  } catch {
    return false; // a key that cannot be read signs nothing
  }
}

function refusalReason({ iss, aud, azp, exp, iat, nonce }: Claims, expected: ExpectedClaims): string | undefined {
  const audiences = [aud].flat();
  const seconds = expected.now / 1000;
  if (iss !== expected.issuer) return 'another provider issued it';
  if (!audiences.includes(expected.clientId) || (audiences.length > 1 && azp !== expected.clientId)) return 'it is for another client';
  if (exp + SKEW_SECONDS <= seconds) return 'it is over';
  if (iat - SKEW_SECONDS > seconds) return 'it is not valid yet';
  return nonce === expected.nonce ? undefined : 'it belongs to another sign-in';
}

function parse<Schema extends z.ZodType>(schema: Schema, part: string, what: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
  } catch {
    throw refused(`its ${what} cannot be read`);
  }
}

const refused = (why: string) => new AppError('unauthenticated', `the ID token of the sign-in provider is rejected: ${why}; sign in again`);
