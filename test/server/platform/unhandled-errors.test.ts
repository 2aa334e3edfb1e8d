import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { countUnhandled, createMetrics } from '@/server/platform';
import { silentLog } from '../../support/silent-log';

it('[framework L9] a failure that nobody handles is logged and counted, until it is let go', async () => {
  const process = new EventEmitter();
  const metrics = createMetrics();
  const lines: unknown[] = [];
  const release = countUnhandled(process, { ...silentLog, error: (fields) => void lines.push(fields) }, metrics);
  process.emit('unhandledRejection', new Error('lost'));
  process.emit('unhandledRejection', 'plain text');
  expect(lines).toMatchObject([{ error: 'lost' }, { error: 'plain text' }]);
  expect(await metrics.metrics()).toContain('slipway_unhandled_errors_total 2');
  release();
  expect(process.listenerCount('unhandledRejection')).toBe(0);
});
