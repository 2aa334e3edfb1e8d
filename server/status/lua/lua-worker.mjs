// The thread that runs Lua: one script on one object at a time, each in a fresh state, so that nothing is left for the next.
// Whoever asks waits for the answer without turning the event loop, and ends the thread when it takes too long (lua-runner.ts).
import { parentPort, workerData } from 'node:worker_threads';
import wasmoon from 'wasmoon';

const { LuaFactory } = wasmoon;
/** Instructions between two looks at the count; a script that went over its bound is stopped at every instruction from then on. */
const HOOK_EVERY = 1000;
const COUNT_MASK = 8;
const [NIL, BOOLEAN, NUMBER, STRING, TABLE] = [0, 1, 3, 4, 5];
const MEMORY_ERROR = 4;
const DEEPEST = 100;

// What a script may use: as Argo CD opens it, without anything that reaches files, code or the machine; time is what it is given.
// Argo CD's Lua is 5.1 with goto. What 5.1 has and this one has not is here, and numbers are shown as 5.1 shows them.
const SANDBOX = `
local time, date, note, now = os.time, os.date, __reads_time, ...
local raw, format, concat, unpacked, kindOf, integer = tostring, string.format, table.concat, table.unpack, math.type, math.tointeger
local get, attach, typeOf = rawget, setmetatable, type
os = {
  time = function(table) if table == nil then note() return now end return time(table) end,
  date = function(format, at) if at == nil then note() at = now end return date(format, at) end,
}
for _, name in ipairs({ 'io', 'package', 'require', 'module', 'debug', 'load', 'loadstring', 'loadfile', 'dofile', 'newproxy', 'utf8',
  'collectgarbage', 'print', 'warn', 'arg', '__reads_time' }) do _G[name] = nil end
string.dump, string.pack, string.unpack, string.packsize = nil, nil, nil, nil
unpack, string.gfind, math.mod, _VERSION = table.unpack, string.gmatch, math.fmod, 'Lua 5.1'
function table.getn(list) return #list end
function table.maxn(list)
  local most = 0
  for key in pairs(list) do if kindOf(key) and key > most then most = key end end
  return most
end
function math.pow(base, power) return base ^ power end
local function plain(value) return kindOf(value) == 'float' and integer(value) or value end
function tostring(value) return raw(plain(value)) end
function table.concat(list, between, first, last)
  local shown = {}
  for at = first or 1, last or #list do shown[#shown + 1] = plain(list[at]) end
  return concat(shown, between)
end
function string.format(text, ...)
  local values, at = { ... }, 0
  for letter in text:gmatch('%%[-+ #0]*%d*%.?%d*(.)') do
    if letter ~= '%' then
      at = at + 1
      local value = plain(values[at])
      if kindOf(value) == 'float' and letter:find('[dixXuc]') then value = integer(value < 0 and math.ceil(value) or math.floor(value)) or value end
      values[at] = value
    end
  end
  return format(text, unpacked(values, 1, select('#', ...)))
end
function setmetatable(value, metatable)
  if typeOf(metatable) == 'table' and get(metatable, '__gc') ~= nil then error('__gc is not taken') end
  return attach(value, metatable)
end
`;

const { shared, port, bounds } = workerData;
const flag = new Int32Array(shared);
const lua = (await new LuaFactory().getLuaModule()).module;
const text = { encode: new TextEncoder(), decode: new TextDecoder() };

let used = 0;
let most = Number.POSITIVE_INFINITY;
const allocate = lua.addFunction((_data, pointer, oldSize, newSize) => {
  if (newSize === 0) {
    if (pointer) lua._free(pointer);
    used -= pointer ? oldSize : 0;
    return 0;
  }
  const growth = newSize - (pointer ? oldSize : 0);
  if (growth > 0 && used + growth > most) return 0;
  const found = lua._realloc(pointer, newSize);
  if (found) used += growth;
  return found;
}, 'iiiii');

let main = 0;
let left = 0;
let deadline = 0;
const count = lua.addFunction((state) => {
  left -= HOOK_EVERY;
  if (left > 0 && performance.now() < deadline) return;
  // Every state of the script is stopped at each instruction from here on, so that no pcall and no coroutine goes on.
  left = Math.min(left, 0);
  for (const each of [state, main]) lua._lua_sethook(each, count, COUNT_MASK, 1);
  pushText(state, 'stopped');
  lua._lua_error(state);
}, 'vii');

let readsTime = false;
const noteTime = lua.addFunction(() => {
  readsTime = true;
  return 0;
}, 'ii');

function withBytes(value, use) {
  const bytes = text.encode.encode(value);
  const pointer = lua._malloc(bytes.length + 1);
  lua.HEAPU8.set(bytes, pointer);
  lua.HEAPU8[pointer + bytes.length] = 0;
  try {
    return use(pointer, bytes.length);
  } finally {
    lua._free(pointer);
  }
}

function pushText(state, value) {
  withBytes(value, (pointer, length) => lua._lua_pushlstring(state, pointer, length));
}

function pushNumber(state, value) {
  if (Number.isSafeInteger(value)) lua._lua_pushinteger(state, BigInt(value));
  else lua._lua_pushnumber(state, value);
}

/** Pushes what JSON can hold; null is nil, as Argo CD hands objects over. */
function push(state, value, depth = 0) {
  if (depth > DEEPEST) throw new Error('the object is nested too deeply');
  lua._lua_checkstack(state, 4);
  if (typeof value === 'string') pushText(state, value);
  else if (typeof value === 'number') pushNumber(state, value);
  else if (typeof value === 'boolean') lua._lua_pushboolean(state, value ? 1 : 0);
  else if (value === null || value === undefined) lua._lua_pushnil(state);
  else if (Array.isArray(value)) {
    lua._lua_createtable(state, value.length, 0);
    value.forEach((entry, index) => {
      push(state, entry, depth + 1);
      lua._lua_rawseti(state, -2, BigInt(index + 1));
    });
  } else {
    lua._lua_createtable(state, 0, 8);
    for (const [name, entry] of Object.entries(value)) {
      if (entry === null || entry === undefined) continue;
      pushText(state, name);
      push(state, entry, depth + 1);
      lua._lua_rawset(state, -3);
    }
  }
}

function textAt(state, index) {
  const type = lua._lua_type(state, index);
  if (type === NIL || type === -1) return undefined;
  if (type === BOOLEAN) return lua._lua_toboolean(state, index) ? 'true' : 'false';
  if (type !== STRING && type !== NUMBER) return undefined;
  const sizeAt = lua._malloc(4);
  const pointer = lua._lua_tolstring(state, index, sizeAt);
  const size = new DataView(lua.HEAPU8.buffer).getUint32(sizeAt, true);
  lua._free(sizeAt);
  return text.decode.decode(lua.HEAPU8.slice(pointer, pointer + size));
}

function field(state, name) {
  pushText(state, name);
  lua._lua_rawget(state, -2);
  const found = textAt(state, -1);
  lua._lua_settop(state, -2);
  return found;
}

function setGlobal(state, name) {
  withBytes(name, (pointer) => lua._lua_setglobal(state, pointer));
}

function load(state, code, name) {
  return withBytes(code, (at, size) => withBytes(name, (nameAt) => lua._luaL_loadbufferx(state, at, size, nameAt, 0)));
}

/** Runs a script on an object and reads what it returns. */
function run({ script, name, object, seconds }) {
  if (script.startsWith('\u001b')) return { fault: 'is compiled Lua, which is not taken' };
  used = 0;
  most = Number.POSITIVE_INFINITY;
  readsTime = false;
  const state = lua._lua_newstate(allocate, 0);
  try {
    lua._luaL_openlibs(state);
    lua._lua_pushcclosure(state, noteTime, 0);
    setGlobal(state, '__reads_time');
    load(state, SANDBOX, '=sandbox');
    pushNumber(state, seconds);
    if (lua._lua_pcallk(state, 1, 0, 0, 0, 0) !== 0) return { fault: `cannot be run: ${textAt(state, -1)}` };
    push(state, object);
    setGlobal(state, 'obj');
    if (load(state, script, `=${name}`) !== 0) return { fault: `is no Lua: ${textAt(state, -1)}` };
    main = state;
    left = bounds.instructions;
    deadline = performance.now() + bounds.milliseconds;
    most = used + bounds.memory;
    lua._lua_sethook(state, count, COUNT_MASK, HOOK_EVERY);
    const code = lua._lua_pcallk(state, 0, 1, 0, 0, 0);
    lua._lua_sethook(state, 0, 0, 0);
    most = Number.POSITIVE_INFINITY;
    if (left <= 0)
      return {
        fault: `ran longer than ${bounds.instructions.toLocaleString('en')} instructions or ${bounds.milliseconds} ms`,
        overran: true,
      };
    if (code === MEMORY_ERROR) return { fault: `used more than ${bounds.memory / 1024 / 1024} MiB of memory` };
    if (code !== 0) return { fault: `failed: ${textAt(state, -1) ?? 'without a message'}` };
    return read(state);
  } finally {
    lua._lua_close(state);
  }
}

/** What keeps scripts from being Lua at all, each by itself; null where nothing does. Nothing is run. */
function check(scripts) {
  used = 0;
  most = Number.POSITIVE_INFINITY;
  const state = lua._lua_newstate(allocate, 0);
  try {
    return scripts.map(({ code, name }) => {
      lua._lua_settop(state, 0);
      if (code.startsWith('\u001b')) return 'is compiled Lua, which is not taken';
      return load(state, code, `=${name}`) === 0 ? null : `is no Lua: ${textAt(state, -1)}`;
    });
  } finally {
    lua._lua_close(state);
  }
}

function read(state) {
  const type = lua._lua_type(state, -1);
  if (type === NIL) return { readsTime };
  if (type !== TABLE) return { fault: 'returned no table' };
  return { status: field(state, 'status') ?? '', message: field(state, 'message') ?? '', readsTime };
}

function answer(asked) {
  try {
    return asked.scripts === undefined ? run(asked) : { wrong: check(asked.scripts) };
  } catch (error) {
    // The state of the machine is not known any more; its owner starts another one.
    return { fault: `failed: ${error instanceof Error ? error.message : String(error)}`, broken: true };
  }
}

port.on('message', (asked) => {
  const said = answer(asked);
  port.postMessage({ id: asked.id, ...said });
  Atomics.store(flag, 0, asked.id);
  Atomics.notify(flag, 0);
});
// Once through everything, so that the first object that somebody waits for finds it compiled.
answer({
  script: 'return { status = obj.status.phase, message = tostring(os.time()) }',
  name: 'first',
  object: { status: { phase: 'Healthy' } },
  seconds: 0,
});
parentPort?.postMessage('ready');
