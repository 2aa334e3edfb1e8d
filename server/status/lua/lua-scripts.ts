import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { isFields } from '@/lib/kube/fields';
import { isRuleKey } from '../rules/rule';
import type { LuaScript } from './lua-runner';

const FILE = 'health.lua';
const KEY = /^resource\.customizations\.health\.(?:(.+)_)?([^_]+|_)$/;
const ALL = 'resource.customizations';

/** Reads a folder as Argo CD keeps its own: `group/Kind/health.lua`, `Kind/health.lua` for the core group, `_` for `*`. */
export async function readLuaFolder(folder: string): Promise<readonly LuaScript[]> {
  const files = await filesOf(folder);
  const scripts = files.map(async (file) =>
    toScript(path.dirname(file), path.join(folder, file), await readFile(path.join(folder, file), 'utf8')),
  );
  return Promise.all(scripts);
}

/** Reads the health checks of an `argocd-cm`: a key for each kind, or all of them in `resource.customizations`. */
export function readLuaConfigMap(data: Readonly<Record<string, string>>, source: string): readonly LuaScript[] {
  const legacy = data[ALL] === undefined ? [] : readCustomizations(data[ALL], source);
  const each = Object.entries(data).flatMap(([name, code]) => {
    const [, group, kind = ''] = KEY.exec(name) ?? [];
    return KEY.test(name) ? [toScript(group === undefined ? kind : `${group}/${kind}`, `${source} ${name}`, code)] : [];
  });
  return [...legacy, ...each];
}

function readCustomizations(text: string, source: string): readonly LuaScript[] {
  const content: unknown = parseDocument(text).toJS({ maxAliasCount: 0 });
  if (!isFields(content)) throw new AppError('invalid', `${source}: ${ALL} must be a map of kinds`);
  return Object.entries(content).flatMap(([key, entry]) => {
    const code = isFields(entry) ? entry[FILE] : undefined;
    return typeof code === 'string' ? [toScript(key, `${source} ${ALL} ${key}`, code)] : [];
  });
}

/** In names of folders and keys `_` stands for the star. */
function toScript(name: string, source: string, code: string): LuaScript {
  const key = name.split(path.sep).join('/').replaceAll('_', '*');
  if (!isRuleKey(key))
    throw new AppError('invalid', `${source} must be in group/Kind, Kind, or a family with _ for the asterisk, found ${name}`);
  return { key, source, code };
}

/** Paths below the folder, one or two levels deep. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const first = await list(folder);
  const found = await Promise.all(
    first
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const second = await list(path.join(folder, name));
        const here = second.some((entry) => entry.isFile() && entry.name === FILE) ? [path.join(name, FILE)] : [];
        const below = second
          .filter((entry) => entry.isDirectory())
          .map(async (entry) => {
            const third = await list(path.join(folder, name, entry.name));
            return third.some((file) => file.isFile() && file.name === FILE) ? [path.join(name, entry.name, FILE)] : [];
          });
        return [...here, ...(await Promise.all(below)).flat()];
      }),
  );
  return found.flat().sort();
}

async function list(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw new AppError('invalid', `the Lua health checks of ${folder} cannot be read: ${messageOf(error)}`);
  }
}
