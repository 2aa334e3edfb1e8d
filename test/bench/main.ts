import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { judge } from './figure';
import { BENCHMARKS } from './registry';
import type { Report } from './report';
import { toJson, toTable } from './report';

/** Runs the named benchmarks, or all; prints a table of each, and JSON to the file of --json or else after the tables. */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'string' } } });
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
  const unknown = names.find((name) => !Object.hasOwn(BENCHMARKS, name));
  if (unknown !== undefined) throw new Error(`bench must be one of ${Object.keys(BENCHMARKS).join(', ')}, found ${unknown}`);
  const reports: Report[] = [];
  for (const name of names) {
    const report = names.length === 1 ? await measure(name) : await measureApart(name);
    if (names.length === 1) console.log(toTable(report));
    reports.push(report);
  }
  if (values.json === undefined) console.log(toJson(reports));
  else await writeFile(values.json, toJson(reports));
  const verdicts = reports.flatMap(({ figures }) => figures.map(judge));
  const missed = verdicts.filter((verdict) => verdict === 'missed').length;
  console.log(`${verdicts.filter((verdict) => verdict === 'met').length} met, ${missed} missed`);
  return missed === 0 ? 0 : 1;
}

async function measure(name: string): Promise<Report> {
  const benchmark = await BENCHMARKS[name]?.();
  const startedAt = performance.now();
  const figures = (await benchmark?.()) ?? [];
  return { name, seconds: (performance.now() - startedAt) / 1000, figures };
}

/** One process per benchmark, so that none inherits the heap of another. */
async function measureApart(name: string): Promise<Report> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'slipway-bench-'));
  const file = path.join(folder, 'report.json');
  try {
    const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, name, '--json', file], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    const written = await readFile(file, 'utf8').catch(() => {
      throw new Error(`benchmark ${name} ended with ${code} and measured nothing`);
    });
    const report: Report | undefined = JSON.parse(written).benchmarks[0]; // written by toJson in the child
    if (report === undefined) throw new Error(`benchmark ${name} measured nothing`);
    return report;
  } finally {
    await rm(folder, { recursive: true });
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
