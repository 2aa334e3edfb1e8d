/** The session cookie: one name on http, and the strictest prefix of browsers on https. */
export interface SessionCookie {
  /** Reads the secret from a Cookie header; undefined when it is absent or no secret of ours. */
  read(header: string | null | undefined): string | undefined;
  set(secret: string, maxAgeSeconds: number): string;
  clear(): string;
}

const SECRET = /^[\w-]{32,64}$/;
const MAX_HEADER = 16_384;

/** The cookie as it is written for http or https. */
export function createSessionCookie({ secure, instance }: { readonly secure: boolean; readonly instance: string }): SessionCookie {
  // Cookies know no ports: two servers on one host would end each other's sessions.
  const name = `${secure ? '__Host-' : ''}slipway_session_${instance}`;
  // Lax, since a sign-in that returns from another site must still carry it.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    read(header) {
      if (!header || header.length > MAX_HEADER) return undefined;
      for (const part of header.split(';')) {
        const [key, value] = part.trim().split('=', 2);
        if (key === name && value !== undefined && SECRET.test(value)) return value;
      }
      return undefined;
    },
    set: (secret, maxAgeSeconds) => `${name}=${secret}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
