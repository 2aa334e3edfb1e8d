import { describe, expect, it } from 'vitest';
import { inCluster, isSameAddress, namedAs, withoutCluster } from '@/components/live/address/cluster-param';

describe('the cluster in an address', () => {
  it('[issue 14.3] stands last, once, beside what is chosen', () => {
    expect(inCluster('?q=a&cluster=old&sort=name', 'new')).toBe('q=a&sort=name&cluster=new');
    expect(inCluster('', 'new')).toBe('cluster=new');
    expect(namedAs('?cluster=one&q=a', 'q=b')).toBe('q=b&cluster=one');
    expect(namedAs('?q=a', 'q=b')).toBe('q=b');
    expect(withoutCluster(new URLSearchParams('q=a&cluster=one')).toString()).toBe('q=a');
  });

  it('[issue 14.3] makes no other page of the one that is shown', () => {
    expect(isSameAddress('/trackers', '/trackers?cluster=one')).toBe(true);
    expect(isSameAddress('/trackers?q=a&cluster=two', '/trackers?cluster=one&q=a')).toBe(true);
    expect(isSameAddress('/trackers?q=a', '/trackers?cluster=one')).toBe(false);
    expect(isSameAddress('/trackers#x', '/trackers?cluster=one')).toBe(false);
    expect(isSameAddress('/rollouts', '/trackers?cluster=one')).toBe(false);
  });
});
