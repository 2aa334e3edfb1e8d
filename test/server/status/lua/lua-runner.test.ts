import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { realClock } from '@/server/platform';
import type { LuaAnswer } from '@/server/status/lua/lua-runner';
import { LuaRunner } from '@/server/status/lua/lua-runner';
import { until } from '../../../support/until';
import { anObject, NOW } from '../rules/evaluate';

let runner: LuaRunner;
beforeAll(async () => {
  runner = await LuaRunner.start(realClock);
});
afterAll(() => runner[Symbol.asyncDispose]());

const PUMP = { generation: 3, spec: { litres: 2, gates: [1, 2.5, { open: true }] }, status: { phase: 'Wet' } };

/** What a script made of an object, however often it must be asked. */
async function run(code: string, now = NOW): Promise<LuaAnswer> {
  const script = { key: 'water.example.com/Pump', source: 'x/health.lua', code };
  const object = anObject('water.example.com/v1', 'Pump', PUMP);
  let answer: LuaAnswer | undefined;
  await until('the script has answered', () => {
    answer = runner.run(script, object, now);
    return answer.kind !== 'later';
  });
  return answer ?? { kind: 'fault', sentence: 'nobody asked' };
}

const told = async (expression: string) => {
  const answer = await run(`return { status = "Healthy", message = ${expression} }`);
  return answer.kind === 'told' ? answer.message : answer;
};

describe('the Lua sandbox', () => {
  it.each([
    ['obj.status.phase', 'Wet'],
    ['tostring(obj.spec.gates[2]) .. obj.spec.litres', '2.52'],
    ['tostring(obj.spec.litres / 2)', '1'],
    ['string.format("%d %s %5.1f%%", 7 / 2, 4 / 2, 1)', '3 2   1.0%'],
    ['table.concat({ 4 / 2, "x" }, "-")', '2-x'],
    ['tostring(table.getn(obj.spec.gates)) .. select("#", unpack(obj.spec.gates))', '33'],
    ['tostring(math.pow(2, 3)) .. _VERSION', '8Lua 5.1'],
    ['tostring(obj.metadata.none)', 'nil'],
  ])('reads %s as Argo CD’s Lua does', async (expression, shown) => {
    expect(await told(expression)).toBe(shown);
  });

  it.each([
    'io',
    'require',
    'load',
    'loadstring',
    'loadfile',
    'dofile',
    'debug',
    'package',
    'collectgarbage',
    'string.dump',
    'os.execute',
    'os.getenv',
    'os.exit',
    'os.remove',
    'os.clock',
    '_ENV.io',
  ])('has no %s', async (name) => {
    expect(await told(`tostring(${name})`)).toBe('nil');
  });

  it('tells the time it is given, and says that it was requested it', async () => {
    const answer = await run(
      'return { status = "Healthy", message = os.date("!%Y-%m-%d %H", os.time()) }',
      toInstant(Date.UTC(2031, 4, 4, 7)),
    );
    expect(answer).toEqual({ kind: 'told', status: 'Healthy', message: '2031-05-04 07', readsTime: true });
    expect(await told('tostring(os.time({ year = 2020, month = 1, day = 2, hour = 0 }))')).toBe('1577923200');
  });

  it('keeps nothing of one run for the next', async () => {
    await run('string.upper = nil; table.insert = nil; leaked = 1; obj.status = nil; return nil');
    expect(await told('tostring(leaked) .. ("a"):upper() .. type(table.insert) .. obj.status.phase')).toBe('nilAfunctionWet');
  });

  it.each([
    ['while true do end', /ran longer than/],
    ['while true do pcall(function() while true do end end) end', /ran longer than/],
    ['while true do local c = coroutine.create(function() while true do end end) coroutine.resume(c) end', /ran longer than/],
    ['return setmetatable({}, { __gc = function() while true do end end })', /__gc is not taken/],
    ['local t = {} while true do t[#t + 1] = string.rep("x", 100000) .. #t end', /used more than 8 MiB of memory/],
    ['return string.rep("x", 1e9)', /used more than 8 MiB of memory/],
    ['return obj.status.none.deeper', /failed: .*attempt to index a nil value/],
    ['return 5', /returned no table/],
    ['this is no Lua', /is no Lua/],
    ['\u001bLua', /is compiled Lua/],
  ])('ends %s with a sentence', async (code, sentence) => {
    const answer = await run(code);
    expect(answer.kind).toBe('fault');
    expect(answer.kind === 'fault' && answer.sentence).toMatch(sentence);
    expect(await told('"still there"')).toBe('still there');
  });

  it('does not wait for a script that is stuck in one call, leaves it alone, and goes on with others', async () => {
    const stuck = { key: 'water.example.com/Pump', source: 'stuck.lua', code: 'return string.rep("a", 3000):find(".-.-.-.-.-.-.-b")' };
    const object = anObject('water.example.com/v1', 'Pump', PUMP);
    const started = performance.now();
    expect(runner.run(stuck, object, NOW)).toMatchObject({ kind: 'later' });
    expect(performance.now() - started).toBeLessThan(100);
    await until('it is given up', () => runner.run(stuck, object, NOW).kind === 'fault');
    expect(runner.run(stuck, object, NOW)).toMatchObject({
      sentence: 'The Lua health check of stuck.lua ran longer than 1000 ms, and is left alone for a minute',
    });
    expect(await told('"others"')).toBe('others');
    expect(runner.run(stuck, object, toInstant(NOW + 60_000)).kind).toBe('later');
  });

  it('asks in the background what does not fit into one turn', async () => {
    const slow = {
      key: 'a/B',
      source: 'slow.lua',
      code: 'local n = 0 for i = 1, 50000 do n = n + i end return { status = "Healthy", message = obj.metadata.name }',
    };
    const objects = Array.from({ length: 60 }, () => anObject('water.example.com/v1', 'Pump', PUMP));
    await told('"the thread is there"');
    const started = performance.now();
    const first = objects.map((object) => runner.run(slow, object, NOW).kind);
    expect(performance.now() - started).toBeLessThan(150);
    expect(first).toContain('later');
    await until('all are told', () => objects.every((object) => runner.run(slow, object, NOW).kind === 'told'));
  });
});
