import { z } from 'zod';
import { readConditions } from '@/lib/kube/condition';
import type { KubeObject } from '@/lib/kube/object';
import type { BackOffFactory } from '@/server/framework/operatorkit/back-off';
import { DefaultBackOffFactory, permanent, retryWithBackOff, zeroBackOff } from '@/server/framework/operatorkit/back-off';
import { CRDClient } from '@/server/framework/operatorkit/crd-client';
import { wrapError } from '@/server/framework/operatorkit/errors';
import type { InformerEvent } from '@/server/framework/operatorkit/events/event-stream';
import { Framework } from '@/server/framework/operatorkit/events/framework';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import { KubeApiError } from '@/server/kube';
import type { CaseDifference } from '../case';
import { compareError, compareNamed, compareObserved, outcomeOf } from './compare-run';
import { Harness } from './harness';
import type { FrameworkCase } from './schema';

function factoryOf(given: FrameworkCase['given']): BackOffFactory {
  const random = z.number().parse(given.random ?? 0.5);
  if (given.backOff === 'zero') return () => zeroBackOff(z.number().parse(given.maxRetries ?? 7));
  return DefaultBackOffFactory(() => random);
}

/** The waits as the case writes them where only the last digits of a fraction differ. */
function nearly(wanted: unknown, found: readonly unknown[]): readonly unknown[] {
  const expected: readonly unknown[] = Array.isArray(wanted) ? wanted : [];
  return found.map((wait, index) => {
    const other = expected[index];
    return typeof wait === 'number' && typeof other === 'number' && Math.abs(wait - other) < 1e-6 ? other : wait;
  });
}

export async function runBackOffSequenceCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const backOff = factoryOf(given)();
  const delaysMs = Array.from({ length: z.number().parse(when.count) }, () => backOff.next());
  return compareNamed(then, { delaysMs: nearly(then.delaysMs, delaysMs) });
}

export async function runRetryCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const { clock } = new Harness();
  const factory = factoryOf(given);
  const failTimes = given.alwaysFail === undefined ? z.number().parse(given.failTimes ?? 0) : Number.POSITIVE_INFINITY;
  const message = String(given.alwaysFail ?? 'failed');
  let executions = 0;
  const delaysMs: number[] = [];
  let error: unknown = null;
  for (let time = 0; time < Number(when.times ?? 1); time++) {
    let failures = 0;
    const operation = async () => {
      executions++;
      if (failures++ >= failTimes) return;
      throw given.permanent === true ? wrapError(permanent(new Error(message)), 'operation') : new Error(message);
    };
    const run = await outcomeOf(() =>
      retryWithBackOff(operation, factory(), { clock, notify: (_error, waitMs) => void delaysMs.push(waitMs) }),
    );
    error = run.error;
  }
  return [
    ...compareError(then.error, error),
    ...compareNamed(then, { executions, notifications: delaysMs.length, delaysMs: nearly(then.delaysMs, delaysMs) }),
  ];
}

class CountingFramework extends Framework<unknown> {
  processEventsCalls = 0;

  override processEvents(signal: AbortSignal, stream: AsyncIterable<InformerEvent<unknown>>): Promise<void> {
    this.processEventsCalls++;
    return super.processEvents(signal, stream);
  }
}

export async function runBootCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const { logger } = harness;
  const failTimes = z.number().parse(given.ensureCrdFailTimes ?? 0);
  let ensureCrdCalls = 0;
  const cluster = {
    create: async () => {
      if (ensureCrdCalls++ < failTimes) throw new Error('no answer');
      return crdWith([]);
    },
    get: async () => crdWith([{ type: 'Established', status: 'True' }]),
    delete: async () => crdWith([]),
  };
  const framework = new CountingFramework(
    {
      ...(given.crd === true ? { crd: crdWith([]), crdClient: new CRDClient({ cluster, clock: harness.clock, logger }) } : {}),
      informer: { async *watch() {} },
      logger,
      resourceRouter: new ResourceRouter({ logger, resourceSets: [harness.resourceSet({ name: 'v1', handles: true })] }),
      backOffFactory: () => zeroBackOff(z.number().parse(given.maxRetries ?? 7)),
    },
    harness,
  );
  const settled: number[] = [];
  let turn = 0;
  const boot = async () => {
    const { error } = await outcomeOf(() => framework.boot());
    settled.push(turn);
    return error;
  };
  const ticking = setInterval(() => turn++, 0);
  const ends: unknown[] = [];
  for (let time = 0; time < Number(when.times ?? 1); time++) {
    ends.push(...(await Promise.all(Array.from({ length: Number(when.concurrent ?? 1) }, boot))));
  }
  clearInterval(ticking);
  const error = ends.find((end) => end !== null) ?? null;
  return [
    ...compareError(then.error, error),
    ...(await compareObserved(then, harness)),
    ...compareNamed(then, {
      ensureCrdCalls,
      processEventsCalls: framework.processEventsCalls,
      outcome: error === null ? 'returned' : 'fatal',
      bothSettleTogether: settled.every((at) => at === settled[0]),
    }),
  ];
}

const condition = z.object({ type: z.string(), status: z.string() }).catchall(z.unknown());

export async function runCrdCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const { clock, logger } = harness;
  const apiCalls: string[] = [];
  const polls = z.array(z.array(condition)).parse(given.polls ?? []);
  const deletions = z.array(z.string()).parse(given.delete ?? []);
  const cluster = {
    create: async () => {
      apiCalls.push('create');
      return answer(String(given.create ?? 'ok'));
    },
    get: async () => {
      apiCalls.push('get');
      return crdWith((polls.length > 1 ? polls.shift() : polls[0]) ?? []);
    },
    delete: async () => {
      apiCalls.push('delete');
      return answer(deletions.shift() ?? 'ok');
    },
  };
  const deleteOnFailure = given.deleteOnFailure === 'created-only' ? 'created-only' : 'never';
  const client = new CRDClient({ cluster, clock, logger, deleteOnFailure });
  const backOff = zeroBackOff(z.number().parse(given.maxRetries ?? 7));
  const { error } = await outcomeOf(async () => {
    if (when.call === 'deleteCrd') await client.ensureDeleted(crdWith([]), backOff);
    else await client.ensureCreated(crdWith([]), backOff);
  });
  return [...compareError(then.error, error), ...(await compareObserved(then, harness)), ...compareNamed(then, { apiCalls })];
}

function answer(outcome: string): KubeObject {
  if (outcome === 'ok') return crdWith([]);
  if (outcome === 'alreadyExists') throw new KubeApiError({ code: 409, reason: 'AlreadyExists', message: 'already exists' });
  if (outcome === 'notFound') throw new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' });
  throw new Error(outcome);
}

function crdWith(conditions: readonly z.infer<typeof condition>[]): KubeObject {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ks.g' },
    status: { conditions },
  };
  // What readers of conditions leave out would silently change the case.
  if (readConditions(crd).length !== conditions.length) throw new Error('the case has a condition that nobody can read');
  return crd;
}
