import { describe, expect, it } from 'vitest';
import { readConfig } from '@/server/platform';
import { startSlipway } from '@/server/slipway';

describe('a server with rules of its own', () => {
  it('[status 11.7] does not start on a file that is not there, and names it', async () => {
    const config = readConfig(['--status-rules', 'test/fixtures/status/none.yaml'], {});
    await expect(startSlipway(config)).rejects.toThrow('the status rules of test/fixtures/status/none.yaml cannot be read: ');
  });
});
