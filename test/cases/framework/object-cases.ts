import type { Operation } from 'fast-json-patch';
import jsonpatch from 'fast-json-patch';
import { z } from 'zod';
import type { KubeObject } from '@/lib/kube/object';
import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import { isPaused } from '@/server/framework/operatorkit/object/pause';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import { finalizerOf, planAddFinalizer, planRemoveFinalizer } from '@/server/framework/operatorkit/surface/finalizers';
import { ObjectHandler } from '@/server/framework/operatorkit/surface/object-handler';
import { RemovedUids } from '@/server/framework/operatorkit/surface/removed-uids';
import { KubeApiError } from '@/server/kube';
import type { CaseDifference } from '../case';
import { compareError, compareNamed, compareObserved, outcomeOf } from './compare-run';
import { Harness } from './harness';
import { resourceSetsOf } from './process-cases';
import type { FrameworkCase } from './schema';
import { anyObject } from './schema';

const pauseAnnotations = z.record(z.string(), z.string());

export async function runPauseCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const object = anyObject.parse({ metadata: given.annotations === undefined ? {} : { annotations: given.annotations } });
  return compareNamed(then, { paused: isPaused(object, pauseAnnotations.parse(given.pauseAnnotations ?? {})) });
}

export async function runFinalizerPlanCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const finalizer = finalizerOf(z.string().parse(given.controllerName));
  const object = anyObject.parse(given.object);
  return compareNamed(then, {
    ...(when.call === 'planAddFinalizer' ? planAddFinalizer(object, finalizer) : planRemoveFinalizer(object, finalizer)),
  });
}

/** One object through the whole later flow. */
export async function runReconcileObjectCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  let stored: KubeObject | null = anyObject.nullable().parse(given.object ?? null);
  const requireStored = () => {
    if (stored === null) throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'the object is gone' });
    return stored;
  };
  const cluster = {
    get: async () => requireStored(),
    create: async (created: KubeObject) => created,
    patch: async (_at: unknown, { body }: { readonly body: unknown }) => {
      const copy = structuredClone(requireStored());
      const operations = body as Operation[];
      const refused = operations.find((one) => one.op === 'test' && jsonpatch.getValueByPointer(copy, one.path) !== one.value);
      if (refused) throw new KubeApiError({ code: 422, reason: 'Invalid', message: `testing value ${refused.path} failed` });
      const changed = jsonpatch.applyPatch(copy, operations).newDocument;
      stored = changed;
      return changed;
    },
  };
  const sets = resourceSetsOf(given).map((definition) => harness.resourceSet(definition));
  const removed = new RemovedUids({ clock: harness.clock, keepMs: 60_000 });
  for (const uid of z.array(z.string()).parse(given.removedUids ?? [])) removed.add(uid);
  const { error } = await outcomeOf(() =>
    new ObjectHandler(
      {
        controllerName: z.string().parse(given.controllerName),
        cluster,
        logger: harness.logger,
        resourceRouter: new ResourceRouter<KubeObject>({ logger: harness.logger, resourceSets: sets }),
        backOffFactory: () => zeroBackOff(7),
        pauseAnnotations: pauseAnnotations.parse(given.pauseAnnotations ?? {}),
      },
      { clock: harness.clock, random: harness.random, removed },
    ).handle({ apiVersion: 'g/v1', kind: 'K', name: 'the-object' }),
  );
  return [
    ...compareError(then.error, error),
    ...(await compareObserved(then, harness)),
    ...compareNamed(then, { finalizersAfter: stored?.metadata.finalizers ?? [], outcome: error === null ? 'ok' : 'error' }),
  ];
}
