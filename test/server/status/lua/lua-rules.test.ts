import { expect, it } from 'vitest';
import { compute } from '@/server/status/compute';
import { luaRules } from '@/server/status/lua/lua-rules';
import type { LuaAnswer } from '@/server/status/lua/lua-runner';
import { evaluate } from '@/server/status/readers/generic-reader';
import { anObject, NOW } from '../rules/evaluate';

const SCRIPT = { key: 'water.example.com/Pump', source: 'x/health.lua', code: '' };

function statusOf(answer: LuaAnswer) {
  const rules = luaRules([SCRIPT], { run: () => answer });
  return evaluate(anObject('water.example.com/v1', 'Pump', {}), (object) => compute(object, NOW, { profile: 'health', rules }), []);
}

it('[issue 9.2] a script that has not answered yet tells of nothing, and that it will; one that failed does not', () => {
  const sentence = 'The Lua health check of x/health.lua is being asked';
  expect(statusOf({ kind: 'later', sentence })).toMatchObject({ status: 'Unknown', message: sentence, isPending: true });
  const fault = statusOf({ kind: 'fault', sentence: 'it failed' });
  expect(fault).toMatchObject({ status: 'Unknown', message: 'it failed' });
  expect(fault).not.toHaveProperty('isPending');
});
