import { NextRequest } from 'next/server';
import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy, proxy } from '@/proxy';

const directives = (policy: string) =>
  new Map(policy.split('; ').map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]));

describe('the content security policy of a page', () => {
  it('[design 8] lets scripts and styles run by nonce only, and fetches from nowhere else', () => {
    const policy = directives(contentSecurityPolicy('n1', false));
    expect(policy.get('script-src')).toBe("'self' 'nonce-n1' 'strict-dynamic'");
    expect(policy.get('style-src')).toBe("'self' 'nonce-n1'");
    expect(policy.get('connect-src')).toBe("'self'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect([...policy.values()].join(' ')).not.toMatch(/unsafe|\*|https?:/);
  });

  it('[design 8] is new with every answer', () => {
    const nonces = [1, 2].map(
      () => /'nonce-([^']+)'/.exec(proxy(new NextRequest('http://127.0.0.1/')).headers.get('content-security-policy') ?? '')?.[1],
    );
    expect(nonces[0]).toMatch(/^[A-Za-z0-9+/=]{24}$/);
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});
