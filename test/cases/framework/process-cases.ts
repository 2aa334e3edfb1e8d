import { z } from 'zod';
import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import type { RunContext } from '@/server/framework/operatorkit/context/run-context';
import type { InformerEvent } from '@/server/framework/operatorkit/events/event-stream';
import { Framework } from '@/server/framework/operatorkit/events/framework';
import { processDelete, processUpdate } from '@/server/framework/operatorkit/resource/process';
import type { Resource } from '@/server/framework/operatorkit/resource/resource';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import type { CaseDifference } from '../case';
import { compareError, compareNamed, compareObserved, outcomeOf, seriesOf } from './compare-run';
import { FLAGS, Harness } from './harness';
import type { FlagName, FrameworkCase, ResourceSetDefinition } from './schema';
import { contextDefinition, initCtx, resourceDefinition, resourceSetDefinition } from './schema';

const NO_EVENTS = {
  async *watch(): AsyncGenerator<InformerEvent<unknown>, void, void> {},
};

/** processUpdate, processDelete, ensureCreated and ensureDeleted. */
export async function runProcessCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const { context, meta } = harness.context(contextDefinition.parse(given.ctx ?? {}));
  const object = given.object ?? null;
  const run = runOf(harness, given, when.call);
  const { error } = await outcomeOf(() => run(context, object));
  const flagsAfter = Object.keys(z.record(z.string(), z.boolean()).parse(then.ctxFlagsAfter ?? {}));
  return [
    ...compareError(then.error, error),
    ...(await compareObserved(then, harness)),
    ...compareNamed(then, {
      loggerMetaAfter: meta ? Object.fromEntries(meta) : null,
      ctxFlagsAfter: Object.fromEntries(flagsAfter.map((name) => [name, FLAGS[name as FlagName].is(context)])),
      sameObjectPassed: harness.objects.every((passed) => passed === object),
    }),
  ];
}

type Run = (context: RunContext, object: unknown) => Promise<void>;

function runOf(harness: Harness, given: FrameworkCase['given'], call: string): Run {
  if (call === 'ensureCreated' || call === 'ensureDeleted') {
    const resource = harness.resource(resourceDefinition.parse(given.resource));
    return (context, object) => resource[call](context, object);
  }
  const definitions = z.array(resourceDefinition).nullish().parse(given.resources);
  // A case may leave the list out, which types do not allow.
  const resources = (definitions && harness.resources(definitions)) as readonly Resource<unknown>[];
  const process = call === 'processDelete' ? processDelete : processUpdate;
  return (context, object) => process(context, object, resources);
}

export function resourceSetsOf(given: FrameworkCase['given']): readonly ResourceSetDefinition[] {
  if (given.resourceSets !== undefined) return z.array(resourceSetDefinition).parse(given.resourceSets);
  return [
    {
      name: 'only',
      handles: true,
      resources: z.array(resourceDefinition).parse(given.resources ?? []),
      initCtx: initCtx.parse(given.initCtx ?? null),
    },
  ];
}

function frameworkOf(harness: Harness, given: FrameworkCase['given']): Framework<unknown> {
  const sets = resourceSetsOf(given).map((definition) => harness.resourceSet(definition));
  const maxRetries = z.number().parse(given.maxRetries ?? 7);
  return new Framework<unknown>(
    {
      informer: NO_EVENTS,
      logger: harness.logger,
      resourceRouter: new ResourceRouter({ logger: harness.logger, resourceSets: sets }),
      backOffFactory: () => zeroBackOff(maxRetries),
      errorBudget: given.errorBudget === 'consecutive' ? 'consecutive' : 'cumulative',
    },
    harness,
  );
}

/** handleUpdate, handleDelete and concurrent. */
export async function runHandleCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const framework = frameworkOf(harness, given);
  const object = given.object ?? null;
  const parts = when.call === 'concurrent' ? z.array(z.string()).parse(when.parts) : [when.call];
  const { error } = await outcomeOf(() =>
    Promise.all(parts.map((part) => (part === 'handleDelete' ? framework.deleteFunc(object) : framework.updateFunc(undefined, object)))),
  );
  return [...compareNamed(then, { thrown: error }), ...(await compareObserved(then, harness))];
}

const streamEvent = z.union([
  z.object({ type: z.enum(['update', 'delete']), object: z.unknown() }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({ type: z.literal('abort') }),
  z.object({ type: z.literal('close') }),
]);

export async function runProcessEventsCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const framework = frameworkOf(harness, given);
  const stopping = new AbortController();
  const steps = z.array(streamEvent).parse(when.stream);
  async function* stream(): AsyncGenerator<InformerEvent<unknown>, void, void> {
    for (const step of steps) {
      if (step.type === 'close') return;
      if (step.type === 'abort') {
        stopping.abort(new Error('the case is over'));
        break;
      }
      if (step.type === 'error') yield { type: 'error', error: new Error(step.message) };
      else yield { type: step.type, object: step.object };
    }
    await new Promise(() => undefined); // a source with nothing to tell
  }
  const { error } = await outcomeOf(() => framework.processEvents(stopping.signal, stream()));
  const samples = await seriesOf(harness.metrics, 'operatorkit_framework_event_count');
  const samplesOf = (event: string) => samples.find(({ labels }) => labels.event === event)?.value ?? 0;
  return [
    ...compareError(then.error, error),
    ...(await compareObserved(then, harness)),
    ...compareNamed(then, {
      outcome: error === null ? 'returned' : 'fatal',
      notifications: harness.log.filter((line) => line.level === 'warning' && 'waitMs' in line).length,
      histogram: { update: samplesOf('update'), delete: samplesOf('delete') },
    }),
  ];
}
