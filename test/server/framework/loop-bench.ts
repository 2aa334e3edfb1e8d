import { settled } from '@/server/framework';
import type { Controller, ControllerDeps, ControllerSpec } from '@/server/framework/controller';
import { createController } from '@/server/framework/loop';
import type { Outcome } from '@/server/framework/reconciler';
import { createRandom } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from './fake-store';

/** A started controller on a store of our own, which writes down every pass. */
export async function startBench(
  options: Partial<ControllerSpec> & {
    deps?: Partial<ControllerDeps>;
    store?: FakeStore;
    pass?: (key: string, count: number) => Outcome;
  } = {},
) {
  const { deps, pass, store = new FakeStore(), ...spec } = options;
  const clock = new ManualClock();
  const passes: string[] = [];
  const controller: Controller = createController(
    {
      name: 'test',
      sources: [{ store }],
      reconcile: async (key) => {
        passes.push(key);
        return pass?.(key, passes.length) ?? settled();
      },
      ...spec,
    },
    { clock, log: silentLog, random: createRandom(3), ...deps },
  );
  const started = controller.start();
  await clock.settle();
  return { clock, controller, passes, store, started, [Symbol.asyncDispose]: () => controller[Symbol.asyncDispose]() };
}
