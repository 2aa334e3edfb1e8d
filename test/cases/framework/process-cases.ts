import { z } from 'zod';
import { zeroBackOff } from '@/server/framework/operatorkit/back-off';
import type { InformerEvent } from '@/server/framework/operatorkit/events/event-stream';
import { Framework } from '@/server/framework/operatorkit/events/framework';
import { processDelete, processUpdate } from '@/server/framework/operatorkit/resource/process';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import type { CaseDifference } from '../case';
import { compareError, compareLog, compareMetrics, compareNamed, outcomeOf, seriesOf } from './compare-run';
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
  const { error } = await outcomeOf(async () => {
    if (when.call === 'ensureCreated') return harness.resource(resourceDefinition.parse(given.resource)).ensureCreated(context, object);
    if (when.call === 'ensureDeleted') return harness.resource(resourceDefinition.parse(given.resource)).ensureDeleted(context, object);
    const resources = harness.resources(z.array(resourceDefinition).parse(given.resources ?? []));
    return when.call === 'processDelete' ? processDelete(context, object, resources) : processUpdate(context, object, resources);
  });
  const flagsAfter = Object.keys(z.record(z.string(), z.boolean()).parse(then.ctxFlagsAfter ?? {}));
  return [
    ...compareError(then.error, error),
    ...compareNamed(then, {
      calls: harness.calls,
      loggerMeta: harness.loggerMeta,
      ...(meta ? { loggerMetaAfter: Object.fromEntries(meta) } : {}),
      ctxFlagsAfter: Object.fromEntries(flagsAfter.map((name) => [name, FLAGS[name as FlagName].is(context)])),
      sameObjectPassed: harness.objects.every((passed) => passed === object),
    }),
    ...compareInvocations(then, harness),
    ...compareLog(then.log, harness.log),
    ...(await compareMetrics(then.metrics, harness.metrics)),
  ];
}

/** Only the operations a case names are compared. */
function compareInvocations(then: FrameworkCase['then'], harness: Harness): readonly CaseDifference[] {
  const named = (wanted: unknown) => Object.keys(z.record(z.string(), z.unknown()).parse(wanted ?? {}));
  const pick = (from: Readonly<Record<string, unknown>>, wanted: unknown) => Object.fromEntries(named(wanted).map((call) => [call, from[call]]));
  return compareNamed(then, { args: pick(harness.args, then.args), reads: pick(harness.reads, then.reads) });
}

function resourceSetsOf(given: FrameworkCase['given']): readonly ResourceSetDefinition[] {
  if (given.resourceSets !== undefined) return z.array(resourceSetDefinition).parse(given.resourceSets);
  return [{ name: 'only', handles: true, resources: z.array(resourceDefinition).parse(given.resources ?? []), initCtx: initCtx.parse(given.initCtx ?? null) }];
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
  return [...compareNamed(then, { calls: harness.calls, thrown: error, maxConcurrent: harness.maxConcurrent }), ...compareLog(then.log, harness.log)];
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
    ...compareNamed(then, {
      calls: harness.calls,
      outcome: error === null ? 'returned' : 'fatal',
      notifications: harness.log.filter((line) => line.level === 'warning' && 'waitMs' in line).length,
      histogram: { update: samplesOf('update'), delete: samplesOf('delete') },
    }),
  ];
}
