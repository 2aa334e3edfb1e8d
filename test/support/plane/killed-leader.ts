import { until } from '../until';
import { actsOf } from './faults';
import type { PlaneScene, PlaneServer } from './scene';

const LIMIT_MS = 120_000;

/** Kills the server that leads, and answers how many milliseconds later the API server received the next act of an engine, which is the other's. */
export async function killLeader({ first, plane }: PlaneScene, second: PlaneServer): Promise<number> {
  await until(
    'the second server knows who leads',
    async () => (await second.engine()).leadership?.holder === (await first.engine()).leadership?.identity,
    LIMIT_MS,
  );
  await first.process.kill();
  const killedAt = Date.now();
  let next: number | undefined;
  await until(
    'an engine acts again',
    async () => {
      next = actsOf(await plane.written()).find(({ at }) => at >= killedAt)?.at;
      return next !== undefined;
    },
    LIMIT_MS,
  );
  return (next ?? killedAt) - killedAt;
}
