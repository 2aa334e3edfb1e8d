import { isLoopback } from './identity';

/** Tells the pages of this server from those of others, by the Origin header. */
export interface Origins {
  /** Where people open the console, for links. */
  address(): string;
  isOurs(origin: string | null | undefined, hostHeader: string | null | undefined): boolean;
}

export interface OriginsDeps {
  /** The address people open when a proxy stands in front. */
  readonly publicUrl: string | undefined;
  readonly host: string;
  /** Known once the server listens. */
  readonly port: () => number;
}

/**
 * Origins by configuration where it says one, by the loopback addresses where only those are listened on, and else by
 * the host that the request itself was sent to.
 */
export function createOrigins({ publicUrl, host, port }: OriginsDeps): Origins {
  const open = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const local = isLoopback(host);
  const bare = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return {
    address: () => open ?? `http://${bare}:${port()}`,
    isOurs(origin, hostHeader) {
      if (!origin || origin === 'null') return false;
      if (origin === open) return true;
      if (local) return ['127.0.0.1', 'localhost', '[::1]', bare].some((name) => origin === `http://${name}:${port()}`);
      return open === undefined && !!hostHeader && (origin === `http://${hostHeader}` || origin === `https://${hostHeader}`);
    },
  };
}
