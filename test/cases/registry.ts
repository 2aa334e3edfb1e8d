import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '@/lib/contract/app-error';
import { realClock } from '@/server/platform';
import type { CaseResult } from './case';

/** The domains that have cases, in the order they are run. */
export const DOMAINS = ['framework', 'status', 'polling', 'dispatch', 'rollout', 'chartsync'] as const;
export type Domain = (typeof DOMAINS)[number];

export const CASES_FOLDER = import.meta.dirname;
const CASE_LIMIT_MS = 20_000;

/** One case as its file has it; what else it holds is the business of its domain's runner. */
export interface StoredCase {
  readonly id: string;
  readonly [member: string]: unknown;
}

type CaseRunner = (testCase: unknown) => Promise<CaseResult>;

export function isDomain(name: string): name is Domain {
  return (DOMAINS as readonly string[]).includes(name);
}

/** The cases of a domain in a folder; undefined when the folder has no such file. */
export async function readCases(folder: string, domain: Domain): Promise<readonly StoredCase[] | undefined> {
  const file = path.join(folder, `${domain}.json`);
  if (!existsSync(file)) return undefined;
  const parsed: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(parsed)) throw new Error(`${file} wants a list of cases, has ${typeof parsed}`);
  return parsed.map((entry: unknown, index) => {
    if (typeof entry !== 'object' || entry === null) throw new Error(`${file} wants an object at ${index}, has ${JSON.stringify(entry)}`);
    return { ...entry, id: 'id' in entry ? String(entry.id) : `#${index}` };
  });
}

/** The code that answers the cases of a domain. A domain without any leaves every case unanswered. */
export async function loadRunner(domain: Domain): Promise<CaseRunner> {
  if (!existsSync(path.join(CASES_FOLDER, `${domain}.ts`))) return async () => ({ kind: 'unanswered', why: 'no code answers' });
  const loaded: unknown = await import(/* @vite-ignore */ `./${domain}.ts`);
  const name = `run${domain.charAt(0).toUpperCase()}${domain.slice(1)}Case`;
  const runner = (loaded as Readonly<Record<string, unknown>>)[name];
  if (typeof runner !== 'function') throw new Error(`test/cases/${domain}.ts wants to export ${name}`);
  return runner as CaseRunner;
}

/** Runs one case; a throw and a case that does not end are failures like any other. */
export async function runCase(runner: CaseRunner, testCase: unknown): Promise<CaseResult> {
  const limit = new AbortController();
  const tooLong = realClock.sleep(CASE_LIMIT_MS, limit.signal).then(
    (): CaseResult => ({ kind: 'failed', differences: [{ at: 'time', expected: `an end within ${CASE_LIMIT_MS} ms`, found: 'no end' }] }),
    (): CaseResult => ({ kind: 'unanswered', why: 'the case ended first' }),
  );
  try {
    return await Promise.race([runner(testCase), tooLong]);
  } catch (error) {
    return {
      kind: 'failed',
      differences: [{ at: 'run', expected: 'no throw', found: error instanceof Error ? (error.stack ?? error.message) : messageOf(error) }],
    };
  } finally {
    limit.abort();
  }
}
