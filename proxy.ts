import { randomBytes } from 'node:crypto';
import type { NextRequest } from 'next/server';
import { NextResponse } from 'next/server';

/**
 * Gives every page a content security policy of its own. Scripts and style sheets run only with this request's nonce, nothing is
 * fetched from elsewhere, and nobody may frame the console. Development needs eval and inline styles for its error overlay.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(18).toString('base64');
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const headers = new Headers(request.headers);
  headers.set('x-nonce', nonce);
  headers.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('x-content-type-options', 'nosniff');
  // A sign-in link carries a token until the page has read it.
  response.headers.set('referrer-policy', request.nextUrl.pathname === '/sign-in' ? 'no-referrer' : 'same-origin');
  response.headers.set('cross-origin-opener-policy', 'same-origin');
  response.headers.set('cross-origin-embedder-policy', 'require-corp');
  response.headers.set('cross-origin-resource-policy', 'same-origin');
  response.headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()');
  return response;
}

/** The policy of one answer. */
export function contentSecurityPolicy(nonce: string, development: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    development ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export const config = {
  matcher: [
    {
      source:
        '/((?!api/|_next/static/|_next/image$|icon\\.svg$|icon-[0-9]+\\.png$|apple-touch-icon\\.png$|social\\.png$|manifest\\.webmanifest$|offline-worker\\.js$|healthz$|readyz$|metrics$).*)',
    },
  ],
};
