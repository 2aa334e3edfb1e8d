import { AppError } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { Outbound } from '@/server/outbound';
import type { NamedCredentials } from '../git/credentials';
import { authorizationOf } from '../git/credentials';

interface Asked {
  /** What the registry answered in place of the content. */
  readonly challenge: string;
  readonly origin: string;
  readonly path: string;
  readonly credentials: NamedCredentials | undefined;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 256 * 1024;

/** What a registry lets one in by: the credentials themselves, or a token that they are changed into. Another host than the registry gets none of them. */
export async function authorise({ challenge, origin, path, credentials, signal }: Asked, outbound: Pick<Outbound, 'get'>): Promise<string> {
  const own = credentials === undefined ? undefined : authorizationOf(credentials);
  const [, scheme = '', parameters = ''] = /^(\w+)\s*(.*)$/.exec(challenge) ?? [];
  if (scheme.toLowerCase() !== 'bearer' || own?.startsWith('Bearer ')) {
    if (own === undefined) throw new AppError('forbidden', 'the registry needs credentials: name a Secret with username and password');
    return own;
  }
  const read = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(parameters)?.[1];
  const realm = read('realm') ?? '';
  const at = URL.canParse(realm) ? new URL(realm) : undefined;
  if (at?.protocol !== 'https:') throw new AppError('invalid', 'the token address of the registry is not https');
  const service = read('service');
  if (service !== undefined) at.searchParams.set('service', service);
  at.searchParams.set('scope', `repository:${path}:pull`);
  const isOwn = at.origin === origin;
  const given = isOwn ? { authorization: own, ca: credentials?.ca } : {};
  const { status, body } = await outbound.get(at.href, { ...given, accept: 'application/json', maxBytes: MAX_BYTES, signal });
  const token = status === 200 ? tokenIn(body) : undefined;
  if (token !== undefined) return `Bearer ${token}`;
  const why =
    isOwn || own === undefined
      ? `${at.host} answered ${status}`
      : `${at.host} is not the host of the registry, so no credentials are sent to it`;
  throw new AppError('forbidden', `the registry issued no token: ${why}`);
}

function tokenIn(body: Buffer): string | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    const token = readString(answer, 'token') ?? readString(answer, 'access_token');
    return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined;
  } catch {
    return undefined; // an answer without a token, whatever else it is
  }
}
