import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_ROOTS, returnPath, signInPath } from '@/lib/contract/pages/return-path';

const ORIGIN = 'https://slipway.example.com';

describe('where somebody goes after signing in', () => {
  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\\/evil.example',
    '%2f%2fevil.example',
    '/%2fevil.example',
    '/%2f%2fevil.example',
    '/%252fevil.example',
    '/%25252fevil.example',
    '/%2525252525252fevil.example',
    '/%5cevil.example',
    '/applications/%5c%5cevil.example',
    '/applications//evil.example',
    '/applications/..//evil.example',
    '/applications/../api/v1/activity/export',
    '/applications/%2e%2e/api/v1/session',
    '/applications/%252e%252e/api/v1/session',
    '/applications/..%2f..%2fapi',
    '/./applications',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,hello',
    'https://evil.example/applications',
    'https:evil.example',
    '@evil.example',
    '/@evil.example',
    '.evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    '/applications\r\nset-cookie: a=b',
    '/applications/%0d%0aset-cookie:a=b',
    '/applications/%00',
    '/applications\u0000',
    '/applications\u0085',
    '/applications/%zz',
    '/applications/%c3%28',
    '/api/v1/session',
    '/socket.io/',
    '/sign-in?token=of-somebody-else',
    '/metrics',
    '/_next/static/x.js',
    '/unknown',
    '/applicationsx',
    `/applications?q=${'a'.repeat(3000)}`,
    '',
    null,
    undefined,
  ])('[issue 14.3] is the first page where an address asks for %j', (wanted) => {
    expect(returnPath(wanted)).toBe('/');
    expect(signInPath(wanted)).toBe('/sign-in');
  });

  it.each([
    ['/applications', '/applications'],
    ['/applications/shop/web?tab=drift&object=core~Secret#top', '/applications/shop/web?tab=drift&object=core~Secret#top'],
    ['/objects/rbac.authorization.k8s.io/roles/-/system%3Anode', '/objects/rbac.authorization.k8s.io/roles/-/system%3Anode'],
    ['/activity?q=%2F%2Fevil.example', '/activity?q=%2F%2Fevil.example'],
    ['/rollouts?ns=shop&_rsc=1a2b3', '/rollouts?ns=shop'],
    ['/', '/'],
  ])('[issue 14.3] is the page of ours that an address asks for: %s', (wanted, path) => {
    expect(returnPath(wanted)).toBe(path);
  });

  it('[issue 14.3] comes back from the address of the sign-in page as it was asked for', () => {
    const asked = '/applications/shop/web?tab=drift&q=a%26b';
    const { searchParams } = new URL(signInPath(asked), ORIGIN);
    expect(returnPath(searchParams.get('next'))).toBe(asked);
  });

  it('[issue 14.3] is on this server and on a page, whatever is asked for', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '%2f',
      '%5c',
      '%252f',
      '..',
      '%2e%2e',
      '@',
      ':',
      '?',
      '#',
      '\t',
      '\n',
      'applications',
      'api',
      'evil.example',
      'javascript:',
    );
    const roots: readonly string[] = ['', ...PAGE_ROOTS];
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 8 }), (pieces) => {
        const url = new URL(returnPath(pieces.join('')), ORIGIN);
        expect(url.origin).toBe(ORIGIN);
        expect(roots).toContain(url.pathname.split('/')[1]);
      }),
      { numRuns: 2000 },
    );
  });
});
