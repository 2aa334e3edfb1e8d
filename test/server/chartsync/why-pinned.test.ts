import { describe, expect, it } from 'vitest';
import { whyPinned } from '@/server/chartsync/sync/why-pinned';

const why = (version: string, attempted: string | undefined, revision: string) =>
  whyPinned({ version }, { folder: '/chart', path: 'ledger', revision }, attempted);

describe('a chart that is pulled, where approvals are required', () => {
  it.each([
    ['a newer version of its range', '^1.0.0', '1.0.0', '1.1.0'],
    ['an older one, where the newest was withdrawn', '^1.0.0', '1.1.0', '1.0.0'],
    ['a tag that was moved', '1.0.0', '1.0.0+e29eca64591b', '1.0.0+4fe8bf08673b'],
    ['any version at all', '', '1.0.0', '2.0.0'],
  ])('[issue 12.1] is not released by itself at %s', (_what, version, attempted, revision) => {
    expect(why(version, attempted, revision)).toContain(`now leads to ${revision} and no longer to ${attempted}`);
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
