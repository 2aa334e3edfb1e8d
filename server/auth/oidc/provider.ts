import { z } from 'zod';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { isLoopback } from '../identity';

/** What whoever runs the server says about the provider that people sign in with. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | undefined;
  readonly usernameClaim: string;
  /** Put before user names and groups, so that nobody of the provider passes for somebody whom the cluster knows by itself. */
  readonly prefix: string;
}

/** Where a provider is asked for what. */
export interface Provider {
  /** Scopes of those that are asked for, which it knows. */
  readonly scopes: readonly string[];
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const configuration = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  scopes_supported: z.array(z.string()).default(['profile', 'email']),
});
/** Some providers refuse a scope that they do not know. */
const WISHED = ['profile', 'email', 'groups'];
const tokens = z.object({ id_token: z.string() });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional(), use: z.string().optional() })) });

/** One public key of a provider, as JWK. */
export type ProviderKey = z.infer<typeof keySet>['keys'][number];

/** Reads the configuration that the provider publishes below its issuer. */
export async function discover(issuer: string): Promise<Provider> {
  const found = parse(configuration, await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`), 'configuration');
  if (found.issuer !== issuer) throw unusable(`has the issuer ${found.issuer}, but --oidc-issuer is ${issuer}`);
  const places = { authorizationEndpoint: found.authorization_endpoint, tokenEndpoint: found.token_endpoint, jwksUri: found.jwks_uri };
  const open = Object.values(places).find((address) => !isProtected(address));
  if (open !== undefined) throw unusable(`names ${open}, which is not https`);
  return { ...places, scopes: ['openid', ...WISHED.filter((scope) => found.scopes_supported.includes(scope))] };
}

/** The keys that a provider signs with. */
export async function readKeys({ jwksUri }: Provider): Promise<readonly ProviderKey[]> {
  return parse(keySet, await ask(jwksUri), 'keys').keys;
}

/** Exchanges a code for the ID token that it stands for. */
export async function redeemCode(provider: Provider, form: URLSearchParams, { clientId, clientSecret }: OidcSettings): Promise<string> {
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (clientSecret === undefined) form.set('client_id', clientId);
  else
    headers.authorization = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
  return parse(tokens, await ask(provider.tokenEndpoint, { method: 'POST', headers, body: form.toString() }), 'tokens').id_token;
}

/** True for an address whose answers nobody on the way can write; loopback is this machine. */
export function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

async function ask(address: string, init: RequestInit = {}): Promise<unknown> {
  let text: string;
  let status: number;
  try {
    // Whoever runs the server named the provider, so it is no address that somebody else wrote; where it would lead on, it leads nowhere.
    const answer = await fetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    status = answer.status;
    text = await readText(answer);
  } catch (error) {
    throw new AppError('unavailable', `the sign-in provider does not answer at ${address}: ${messageOf(error)}`, { cause: error });
  }
  // A code that is over, or was used, is the one thing that a person can mend.
  if (status === 400 && init.method === 'POST')
    throw new AppError('unauthenticated', 'the sign-in provider no longer accepts the code; sign in again');
  if (status !== 200) throw unusable(`answers ${status} at ${address}`);
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(`does not answer with JSON at ${address}`);
  }
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (!success)
    throw unusable(`publishes ${what} that cannot be used: ${error.issues[0]?.path.join('.') ?? ''} ${error.issues[0]?.message ?? ''}`);
  return data;
}

const unusable = (what: string) => new AppError('unavailable', `the sign-in provider ${what}`);
