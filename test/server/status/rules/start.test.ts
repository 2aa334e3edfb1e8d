import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { readConfig } from '@/server/platform';
import { startSlipway } from '@/server/slipway';
import { compileOwnRules } from '@/server/status/rules/compile';

describe('a server with rules of its own', () => {
  it('[status 11.7] does not start on a file that is not there, and names it', async () => {
    const config = readConfig(['--status-rules', 'test/fixtures/status/none.yaml'], {});
    await expect(startSlipway(config)).rejects.toThrow('the status rules of test/fixtures/status/none.yaml cannot be read: ');
  });
});

describe('rules of ours', () => {
  it('[design 14] are compiled when an object of their kind is asked about, so that a start does not wait for all', () => {
    const broken = { kind: 'example.com/Widget', rows: [{ when: [{ cel: 'object.(' }], status: 'Failed' as const, message: 'broken' }] };
    const tell = compileOwnRules([broken]).get('example.com/Widget');
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } };
    expect(() => tell?.(widget, [], toInstant(0))).toThrow();
  });
});
