import { describe, expect, it } from 'vitest';
import { whyPinned } from '@/server/chartsync/sync/why-pinned';

const why = (version: string, attempted: string | undefined, revision: string) =>
  whyPinned({ version }, { folder: '/chart', path: 'ledger', revision }, { revision: attempted, digest: undefined });
const inArchives = (attempted: string | undefined, digest: string) =>
  whyPinned(
    { version: '1.0.0' },
    { folder: '/chart', path: 'ledger', revision: '1.0.0', digest },
    { revision: '1.0.0', digest: attempted },
  );

describe('a chart that is pulled, where approvals are required', () => {
  it.each([
    ['a newer version of its range', '^1.0.0', '1.0.0', '1.1.0'],
    ['an older one, where the newest was withdrawn', '^1.0.0', '1.1.0', '1.0.0'],
    ['a tag that was moved', '1.0.0', '1.0.0+e29eca64591b', '1.0.0+4fe8bf08673b'],
    ['any version at all', '', '1.0.0', '2.0.0'],
  ])('[issue 12.1] is not released by itself at %s', (_what, version, attempted, revision) => {
    expect(why(version, attempted, revision)).toContain(`now leads to ${revision} and no longer to ${attempted}`);
  });

  it('[issue 12.1] is not released by itself from another archive of the same version', () => {
    expect(inArchives('a'.repeat(64), `${'b'.repeat(12)}${'c'.repeat(52)}`)).toContain(
      'version "1.0.0" now leads to archive sha256:bbbbbbbbbbbb of 1.0.0 and no longer to archive sha256:aaaaaaaaaaaa;',
    );
    expect([inArchives('a'.repeat(64), 'a'.repeat(64)), inArchives(undefined, 'a'.repeat(64))]).toEqual([undefined, undefined]);
  });

  it.each([
    ['nothing was released yet', '^1.0.0', undefined, '1.1.0'],
    ['nothing moved', '1.0.0', '1.0.0+e29eca64591b', '1.0.0+e29eca64591b'],
    ['its resource asks for another version', '1.1.0', '1.0.0', '1.1.0'],
    ['its resource asks for another range', '~1.1', '1.0.0+e29eca64591b', '1.1.2+4fe8bf08673b'],
    ['it took its chart from git before', '^1.0.0', 'a'.repeat(40), '1.0.0'],
  ])('[issue 12.1] is released where %s', (_what, version, attempted, revision) => {
    expect(why(version, attempted, revision)).toBeUndefined();
  });
});
