import { existsSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseInstant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { readNamedFile } from '@/server/platform';
import type { ComputeOptions } from '../compute';
import { compute, toRuleKey } from '../compute';
import { luaRules, statusOfArgo } from '../lua/lua-rules';
import { LuaRunner } from '../lua/lua-runner';
import type { ComputeResult } from '../result';
import { parseRuleFile } from '../rules/read-rules';
import type { Expectation } from '../rules/rule';
import { loadStatusRules } from './status-rules';

/** What a rule made of one object, and what was wanted of it. */
export interface Checked {
  readonly object: string;
  readonly status: string;
  readonly message: string;
  readonly rule: string;
  /** What was wanted and is not so, a sentence each; undefined where nothing was. */
  readonly unmet?: readonly string[];
}

interface Wanted {
  readonly title?: string | undefined;
  readonly object: KubeObject;
  readonly now?: string | undefined;
  readonly expect?: Pick<Expectation, 'status' | 'message' | 'reason'>;
}

/**
 * Tells what a file of rules, or a health check in Lua, makes of objects: those given as text, or else those of its own expectations. For
 * Lua these stand in `health_test.yaml` beside it, as Argo CD has them. Throws a sentence for what cannot be read.
 */
export async function checkRules(file: string, objects: string | undefined, clock: Clock): Promise<readonly Checked[]> {
  return file.endsWith('.lua') ? checkLua(file, objects, clock) : checkFile(file, objects, clock);
}

async function checkFile(file: string, objects: string | undefined, clock: Clock): Promise<readonly Checked[]> {
  const text = await readNamedFile(file);
  const { expect = [] } = parseRuleFile(text, file);
  const options = await loadStatusRules(file);
  const wanted: Wanted[] = expect.map(({ name, object, now, ...rest }) => ({ title: name, object: toObject(object), now, expect: rest }));
  const given = objects === undefined ? [] : readObjects(objects).map((object) => ({ object }));
  return [...wanted, ...given].map((one) => evaluate(one, options, clock.now()));
}

async function checkLua(file: string, objects: string | undefined, clock: Clock): Promise<readonly Checked[]> {
  const code = await readNamedFile(file);
  const wanted = objects === undefined ? await readArgoTests(file) : readObjects(objects).map((object): Wanted => ({ object }));
  await using runner = await LuaRunner.start(clock);
  const checked: Checked[] = [];
  for (const one of wanted) {
    const script = { key: toRuleKey(one.object), source: file, code };
    // The bounds are those of a server; only here nobody is kept from waiting.
    while (runner.run(script, one.object, clock.now()).kind === 'later') await clock.sleep(10);
    checked.push(evaluate(one, { profile: 'health', layers: [luaRules([script], runner)] }, clock.now()));
  }
  return checked;
}

const argoTests = z.object({
  tests: z.array(
    z.object({ inputPath: z.string(), healthStatus: z.object({ status: z.string(), message: z.string().optional() }) }),
    'must be a list of tests',
  ),
});

async function readArgoTests(file: string): Promise<readonly Wanted[]> {
  const beside = path.join(path.dirname(file), 'health_test.yaml');
  if (!existsSync(beside)) throw new AppError('invalid', `objects are required: name a file of them, or put ${beside} beside the check`);
  const parsed = argoTests.safeParse(parse(await readNamedFile(beside)));
  if (!parsed.success) throw new AppError('invalid', `${beside}: ${parsed.error.issues[0]?.message}`);
  const found = parsed.data.tests.map(async ({ inputPath, healthStatus: { status, message } }): Promise<readonly Wanted[]> => {
    const expect = { status: statusOfArgo(status), ...(message ? { message } : {}) };
    const [object] = readObjects(await readNamedFile(path.join(path.dirname(file), inputPath)));
    return object === undefined ? [] : [{ title: inputPath, object, expect }];
  });
  return (await Promise.all(found)).flat();
}

function evaluate({ title, object, now, expect }: Wanted, options: ComputeOptions, present: Instant): Checked {
  const told = computeBySource(object, options, parseInstant(now) ?? present);
  const { status, message, rule = '' } = told;
  const named = title ?? describeObject({ kind: object.kind, ...object.metadata });
  const reason = told.conditions[0]?.reason ?? '';
  const wishes =
    expect === undefined ? undefined : Object.entries({ status: expect.status, message: expect.message, reason: expect.reason });
  const found: Readonly<Record<string, string>> = { status, message, reason };
  const unmet = wishes?.flatMap(([name, wish]) =>
    wish === undefined || wish === found[name] ? [] : [`expected ${name} ${wish}, found ${found[name] || 'none'}`],
  );
  return { object: named, status, message, rule, ...(unmet ? { unmet } : {}) };
}

function computeBySource(object: KubeObject, options: ComputeOptions, now: Instant): ComputeResult {
  try {
    return compute(object, now, options);
  } catch (error) {
    return { status: 'Unknown', message: messageOf(error), conditions: [] };
  }
}

/** The objects of a text of several documents; lists are taken apart. */
function readObjects(text: string): readonly KubeObject[] {
  return parseAllDocuments(text, { uniqueKeys: false }).flatMap((document, index) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new AppError('invalid', `document ${index + 1} of the objects is not valid YAML: ${error.message.split('\n')[0]}`);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return [];
    const items = manifestList.safeParse(value);
    return items.success ? items.data.items.map(toObject) : [toObject(value)];
  });
}

const manifestList = z.object({ kind: z.string().regex(/List$/), items: z.array(z.unknown()) });
const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().default('example') }).default({ name: 'example' }),
});

function toObject(value: unknown): KubeObject {
  const parsed = manifest.safeParse(value);
  if (!parsed.success)
    throw new AppError(
      'invalid',
      `an object needs apiVersion and kind, found ${JSON.stringify(readString(value, 'kind') ?? value).slice(0, 80)}`,
    );
  return parsed.data;
}
