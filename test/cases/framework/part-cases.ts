import { z } from 'zod';
import { newLatch } from '@/server/framework/operatorkit/context/flags';
import { getLoggerMeta } from '@/server/framework/operatorkit/context/logger-meta';
import { RunContext } from '@/server/framework/operatorkit/context/run-context';
import type { Resource } from '@/server/framework/operatorkit/resource/resource';
import { ResourceRouter } from '@/server/framework/operatorkit/resource/resource-router';
import { DefaultResourceSetResourceFunc } from '@/server/framework/operatorkit/resource/resource-set';
import { toCamelCase } from '@/server/framework/operatorkit/resource/wrapper/metrics-resource';
import type { Wrapper } from '@/server/framework/operatorkit/resource/wrapper/unwrap';
import { unwrap } from '@/server/framework/operatorkit/resource/wrapper/unwrap';
import type { CaseDifference } from '../case';
import { compareError, compareLog, compareNamed, outcomeOf } from './compare-run';
import { FLAGS, Harness } from './harness';
import type { FlagName, FrameworkCase } from './schema';
import { initCtx, resourceSetDefinition } from './schema';

type Level = '' | 'child' | 'grandchild';

export async function runFlagCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const names = z.array(z.string()).parse(given.flags ?? [given.flag]) as FlagName[];
  const install = (context: RunContext) => names.reduce((at, name) => FLAGS[name].newContext(at, newLatch()), context);
  const bare = RunContext.background();
  const root =
    given.installed === true
      ? install(bare)
      : given.installed === 'null'
        ? names.reduce((at, name) => FLAGS[name].newContext(at, null), bare)
        : bare;
  const derive = (from: RunContext, how: unknown) => (how === 'reinstall' ? install(from) : from.with(Symbol('derived'), true));
  const child = derive(root, given.child);
  const contexts: Readonly<Record<Level, RunContext>> = { '': root, child, grandchild: derive(child, given.grandchild) };
  const results = z
    .array(z.string())
    .parse(when.ops)
    .map((text) => {
      const [, level = '', op, name = names[0]] = /^(?:(child|grandchild)\.)?(is|set)(?::(\w+))?$/.exec(text) ?? [];
      const flag = FLAGS[name as FlagName];
      const context = contexts[level as Level];
      if (op === 'is') return flag.is(context);
      flag.set(context);
      return null;
    });
  return compareNamed(then, { results });
}

export async function runRouteCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const handlesCalled: string[] = [];
  const definitions = z.array(resourceSetDefinition).parse(given.resourceSets);
  const sets = definitions.map((definition) => harness.resourceSet(definition, (name) => void handlesCalled.push(name)));
  const router = new ResourceRouter<unknown>({ logger: harness.logger, resourceSets: sets });
  const { value, error } = await outcomeOf(() => router.resourceSet(given.object));
  const selected = value === undefined ? null : definitions[sets.indexOf(value)]?.name;
  return [...compareError(then.error, error), ...compareNamed(then, { selected, handlesCalled }), ...compareLog(then.log, harness.log)];
}

export async function runInitCtxCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const harness = new Harness();
  const set = harness.resourceSet({ name: 'only', handles: true, initCtx: initCtx.parse(given.initCtx ?? null) });
  const { value: context, error } = await outcomeOf(() => set.initCtx(RunContext.background(), given.object));
  const meta = context && getLoggerMeta(context);
  const installed = Object.keys(z.record(z.string(), z.boolean()).parse(then.installed ?? {})).map((name) => {
    const flag = FLAGS[name as FlagName];
    if (context) flag.set(context);
    return [name, context !== undefined && flag.is(context)];
  });
  return [
    ...compareError(then.error, error),
    ...compareNamed(then, { installed: Object.fromEntries(installed), loggerMeta: meta ? Object.fromEntries(meta) : null }),
    ...compareLog(then.log, harness.log),
  ];
}

const named = (name: string): Resource<unknown> => ({ name, ensureCreated: async () => undefined, ensureDeleted: async () => undefined });

export async function runDefaultResourcesCase({ given, when, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const resources = z.array(z.string()).parse(given.resources).map(named);
  const resourcesOf = DefaultResourceSetResourceFunc(resources);
  const { value: lists = [], error } = await outcomeOf(() =>
    Promise.all(Array.from({ length: Number(when.times ?? 1) }, () => resourcesOf(RunContext.background(), null))),
  );
  return [
    ...compareError(then.error, error),
    ...compareNamed(then, {
      results: lists.map((list) => list.map(({ name }) => name)),
      sameList: lists.every((list) => list === lists[0]),
    }),
  ];
}

export async function runUnwrapCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  const outermost =
    given.loop === undefined ? chainOf(z.array(z.string()).parse(given.chain)) : loopOf(z.array(z.number()).parse(given.loop));
  const { value, error } = await outcomeOf(() => unwrap(outermost));
  return [...compareError(then.error, error), ...compareNamed(then, { name: value?.name ?? null, same: value === outermost })];
}

function chainOf(names: readonly string[]): Resource<unknown> {
  return names.reduceRight<Resource<unknown> | undefined>(
    (inner, name) => (inner === undefined ? named(name) : ({ ...named(name), wrapped: () => inner } satisfies Wrapper<unknown>)),
    undefined,
  ) as Resource<unknown>; // a chain has at least its base
}

function loopOf(numbers: readonly number[]): Resource<unknown> {
  const nodes = new Map<number, Wrapper<unknown>>();
  numbers.forEach((number, index) => {
    const next = numbers[index + 1];
    if (next === undefined) return;
    nodes.set(number, { ...named(`node-${number}`), wrapped: () => nodes.get(next) ?? named('none') });
  });
  return nodes.get(numbers[0] ?? 0) ?? named('none');
}

export async function runCamelCaseCase({ given, then }: FrameworkCase): Promise<readonly CaseDifference[]> {
  return compareNamed(then, { output: toCamelCase(String(given.input)) });
}
