import type { KeyPairKeyObjectResult } from 'node:crypto';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Who signs in at the provider, as its ID token says. */
export interface ProviderPerson {
  readonly sub: string;
  readonly groups?: readonly string[];
  readonly [claim: string]: unknown;
}

/** An OpenID Connect provider on loopback that lets in at once whom a test names. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The ID token of the next sign-in, signed by the provider's key unless a test says otherwise. */
  tell(person: ProviderPerson, how?: { readonly claims?: object; readonly header?: object; readonly key?: 'own' | 'foreign' }): void;
  /** Goes to the address as a browser does whose person the provider lets in; what it is sent back with. */
  visit(address: string): Promise<{ readonly code: string; readonly state: string }>;
}

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

interface ProviderOptions {
  /** Of a client that is not public. */
  readonly secret?: string;
  readonly now?: () => number;
}

let keys: { readonly own: KeyPairKeyObjectResult; readonly foreign: KeyPairKeyObjectResult } | undefined;

/** Made once: each takes half a second. */
function keysOf() {
  keys ??= { own: generateKeyPairSync('rsa', { modulusLength: 2048 }), foreign: generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  return keys;
}

/** Starts one for a client; codes work once, and only with the verifier of their challenge. */
export async function startOidcProvider(clientId: string, { secret, now = Date.now }: ProviderOptions = {}): Promise<OidcProvider> {
  const { own, foreign } = keysOf();
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string; readonly returnTo: string }>();
  let next: Parameters<OidcProvider['tell']> = [{ sub: 'nobody' }];
  let issuer = '';

  const tokenOf = (nonce: string) => {
    const [person, { claims = {}, header = {}, key = 'own' } = {}] = next;
    const iat = Math.floor(now() / 1000);
    const body = base64({ iss: issuer, aud: clientId, iat, exp: iat + 300, nonce, ...person, ...claims });
    const signed = `${base64({ alg: 'RS256', kid: 'one', ...header })}.${body}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), (key === 'own' ? own : foreign).privateKey).toString('base64url')}`;
  };
  const redeem = (form: URLSearchParams, authorization: string | undefined) => {
    const held = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isProven =
      held?.challenge ===
      createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
    const isClient =
      secret === undefined
        ? form.get('client_id') === clientId
        : authorization === `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
    return isProven && isClient && held.returnTo === form.get('redirect_uri') ? { id_token: tokenOf(held.nonce) } : undefined;
  };

  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { pathname } = new URL(request.url ?? '/', issuer);
    if (pathname === '/keys') return answer(200, { keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] });
    if (pathname === '/token') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const redeemed = redeem(new URLSearchParams(Buffer.concat(chunks).toString()), request.headers.authorization);
      return answer(redeemed === undefined ? 400 : 200, redeemed ?? { error: 'invalid_grant' });
    }
    if (pathname !== '/.well-known/openid-configuration') return answer(404, {});
    return answer(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      scopes_supported: ['openid', 'groups'],
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    tell: (...said) => {
      next = said;
    },
    async visit(address) {
      const asked = Object.fromEntries(new URL(address).searchParams);
      const { nonce = '', state = '', code_challenge: challenge = '', redirect_uri: returnTo = '' } = asked;
      if (asked.client_id !== clientId || asked.code_challenge_method !== 'S256' || asked.response_type !== 'code')
        throw new Error(`no such client: ${address}`);
      const code = randomUUID();
      codes.set(code, { nonce, challenge, returnTo });
      return { code, state };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
