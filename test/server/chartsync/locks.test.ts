import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedMutex } from '@/server/chartsync/loops/keyed-mutex';
import { WorkingCopyLock } from '@/server/chartsync/loops/working-copy-lock';

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe('the lock of the working copy', () => {
  it('[R-LOCK-1] never runs a writer beside anybody, and serves in the order of asking', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ kind: fc.constantFrom('read', 'write'), turns: fc.nat(3) }), { maxLength: 12 }),
        async (tasks) => {
          const lock = new WorkingCopyLock();
          const began: number[] = [];
          let readers = 0;
          let writers = 0;
          let most = 0;
          const run = (kind: string, at: number, turns: number) => async () => {
            began.push(at);
            if (kind === 'read') readers++;
            else writers++;
            expect(writers <= 1 && (writers === 0 || readers === 0)).toBe(true);
            most = Math.max(most, readers);
            for (let left = turns; left > 0; left--) await turn();
            if (kind === 'read') readers--;
            else writers--;
          };
          await Promise.all(
            tasks.map(({ kind, turns }, at) => (kind === 'read' ? lock.read(run(kind, at, turns)) : lock.write(run(kind, at, turns)))),
          );
          expect(began).toEqual(tasks.map((_, at) => at));
          if (tasks.length > 1 && tasks.every(({ kind, turns }) => kind === 'read' && turns > 0)) expect(most).toBe(tasks.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('[R-LOCK-1] is free again after a task that failed', async () => {
    const lock = new WorkingCopyLock();
    await expect(lock.write(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await lock.read(async () => 'read')).toBe('read');
  });
});

describe('exclusion', () => {
  it('[R-LOCK-3] runs one task per key at a time and those of other keys beside it', async () => {
    const exclusion = new KeyedMutex();
    const told: string[] = [];
    const task = (name: string, turns: number) => async () => {
      told.push(`+${name}`);
      for (let left = turns; left > 0; left--) await turn();
      told.push(`-${name}`);
    };
    await Promise.all([exclusion.run('a', task('a1', 3)), exclusion.run('a', task('a2', 1)), exclusion.run('b', task('b1', 1))]);
    expect(told).toEqual(['+a1', '+b1', '-b1', '-a1', '+a2', '-a2']);
  });
});
