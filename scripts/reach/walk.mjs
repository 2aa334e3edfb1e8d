// Follows what production can reach: from the entries over imports to declarations, and from members asked for to the members of classes.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readModule } from './read-module.mjs';

const EXTENSIONS = ['', '.ts', '.tsx', '/index.ts'];

/**
 * What nothing but tests can reach, in the order of files: `file` when no declaration of it is reached, `file#name` for an export,
 * `file#Class.member` for a member of a class that is.
 *
 * 1. An entry is reached whole; of any other file only what is asked for by name.
 * 2. A door that passes a name on does not reach it; who imports that name does, now or later.
 * 3. A member of a class is reached when the class is and something reached asks any object for a member of that name.
 * 4. What is kept, by the same names, is reached too, with all that it needs.
 */
export function findUnreached(files, entries, kept = []) {
  const walk = new Walk();
  for (const entry of entries) walk.enter(entry);
  for (const id of kept) walk.keep(id, files);
  walk.run();
  return files.flatMap((file) => walk.unreachedOf(file));
}

class Walk {
  #modules = new Map();
  #reached = new Set();
  #seen = new Set();
  #running = new Set();
  #names = new Set();
  /** Members of reached classes that nobody has asked for yet, by name. */
  #waiting = new Map();
  #queue = [];

  enter(file) {
    const module = this.#module(file);
    this.#load(file);
    for (const name of module.pieces.keys()) this.#reach(file, name);
    for (const name of module.exported.keys()) this.#reachExport(file, name);
  }

  keep(id, files) {
    const [file, name] = id.split('#');
    if (!files.includes(file)) return;
    if (name === undefined) return this.#keepFile(file);
    const [declared, member] = name.split('.');
    this.#reachExport(file, declared);
    if (member !== undefined) this.#ask(member);
  }

  // Whoever is kept is kept with every member of its classes: others may ask for them.
  #keepFile(file) {
    this.enter(file);
    for (const { members } of this.#module(file).pieces.values()) for (const member of members.keys()) this.#ask(member);
  }

  run() {
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) this.#use(next.file, next.uses);
  }

  unreachedOf(file) {
    const { pieces, exported } = this.#module(file);
    const has = (name) => this.#reached.has(`${file}#${name}`);
    if (!this.#running.has(file) && ![...pieces.keys(), ...exported.keys()].some(has)) return [{ id: file, line: 1 }];
    const dead = [...exported].filter(([name]) => !has(name)).map(([name, { line }]) => ({ id: `${file}#${name}`, line }));
    const left = [...pieces]
      .filter(([name]) => has(name))
      .flatMap(([name, { members }]) => [...members].map(([member, { line }]) => ({ name: `${name}.${member}`, line })));
    return [...dead, ...left.filter(({ name }) => !has(name)).map(({ name, line }) => ({ id: `${file}#${name}`, line }))];
  }

  #module(file) {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const read = readModule(file, readFileSync(file, 'utf8'));
    this.#modules.set(file, read);
    return read;
  }

  // Being loaded reaches the statements that run then, and makes a file reached when it has some.
  #load(file) {
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    const { loaded, running } = this.#module(file);
    if (running.refs.size > 0) this.#running.add(file);
    this.#queue.push({ file, uses: running });
    for (const from of loaded) {
      const target = resolve(file, from);
      if (target !== undefined) this.#load(target);
    }
  }

  #use(file, uses) {
    const module = this.#module(file);
    for (const name of uses.refs) {
      if (module.pieces.has(name)) this.#reach(file, name);
      const found = module.imported.get(name);
      if (found !== undefined) this.#reachFrom(file, found);
    }
    for (const found of uses.types) this.#reachFrom(file, found);
    for (const from of uses.imports) this.#reachLater(file, from, uses.names);
    for (const name of uses.names) this.#ask(name);
  }

  // A module that is imported later is reached by the names that are taken from it at that place, and whole where none is seen.
  #reachLater(file, from, names) {
    const target = resolve(file, from);
    if (target === undefined) return;
    const taken = [...this.#module(target).exported.keys()].filter((name) => names.has(name));
    for (const name of taken.length === 0 ? ['*'] : taken) this.#reachFrom(file, { from, name });
  }

  #reachFrom(file, { from, name }) {
    const target = resolve(file, from);
    if (target === undefined) return;
    this.#load(target);
    if (name !== '*') this.#reachExport(target, name);
    else for (const each of this.#module(target).exported.keys()) this.#reachExport(target, each);
  }

  #reachExport(file, name) {
    const { exported, stars, imported } = this.#module(file);
    const found = exported.get(name);
    if (found === undefined) for (const from of stars) this.#reachFrom(file, { from, name });
    if (found === undefined) return;
    const id = `${file}#${name}`;
    if (found.local === name && !imported.has(name)) return this.#reach(file, name);
    if (this.#reached.has(id)) return;
    this.#reached.add(id);
    if (found.from !== undefined) this.#reachFrom(file, found);
    else if (imported.has(found.local)) this.#reachFrom(file, imported.get(found.local));
    else this.#reach(file, found.local);
  }

  #reach(file, name) {
    const id = `${file}#${name}`;
    const piece = this.#module(file).pieces.get(name);
    if (this.#reached.has(id) || piece === undefined) return;
    this.#reached.add(id);
    this.#queue.push({ file, uses: piece.uses });
    for (const [member, { uses }] of piece.members) {
      const waiting = { id: `${id}.${member}`, file, uses };
      if (this.#names.has(member)) this.#reachMember(waiting);
      else this.#waiting.set(member, [...(this.#waiting.get(member) ?? []), waiting]);
    }
  }

  #ask(name) {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    for (const waiting of this.#waiting.get(name) ?? []) this.#reachMember(waiting);
    this.#waiting.delete(name);
  }

  #reachMember({ id, file, uses }) {
    this.#reached.add(id);
    this.#queue.push({ file, uses });
  }
}

function resolve(file, from) {
  const base = from.startsWith('@/') ? from.slice(2) : from.startsWith('.') ? path.join(path.dirname(file), from) : undefined;
  if (base === undefined) return undefined;
  const found = EXTENSIONS.map((extension) => base + extension).find((candidate) => /\.tsx?$/.test(candidate) && existsSync(candidate));
  return found;
}
