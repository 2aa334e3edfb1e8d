import path from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@/lib/contract/app-error';
import type { CaseResult } from './case';
import type { Domain, StoredCase } from './registry';
import { CASES_FOLDER, DOMAINS, isDomain, loadRunner, readCases, runCase } from './registry';

interface Tally {
  passed: number;
  failed: number;
}

/** Runs the conformance cases of every domain, or of the named one, and says what failed. */
async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { dir: { type: 'string' }, domain: { type: 'string' } } });
  const folder = path.resolve(values.dir ?? CASES_FOLDER);
  const named = values.domain;
  if (named !== undefined && !isDomain(named)) throw new Error(`--domain wants one of ${DOMAINS.join(', ')}, found ${named}`);
  const total: Tally = { passed: 0, failed: 0 };
  for (const domain of named === undefined ? DOMAINS : [named]) {
    const cases = await readCases(folder, domain);
    if (cases === undefined) {
      if (named !== undefined) throw new Error(`${folder} has no ${domain}.json`);
      console.log(`${domain}: no cases in ${folder}`);
      continue;
    }
    const tally = await runDomain(domain, cases);
    console.log(`${domain}: ${tally.passed} passed, ${tally.failed} failed, of ${cases.length}`);
    total.passed += tally.passed;
    total.failed += tally.failed;
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

async function runDomain(domain: Domain, cases: readonly StoredCase[]): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0 };
  const runner = await loadRunner(domain).catch(
    (error: unknown) => async (): Promise<CaseResult> => ({ kind: 'unanswered', why: messageOf(error) }),
  );
  for (const testCase of cases) {
    const result = await runCase(runner, testCase);
    if (result.kind === 'passed') {
      tally.passed++;
      continue;
    }
    tally.failed++;
    printFailure(domain, testCase, result);
  }
  return tally;
}

function printFailure(domain: Domain, testCase: StoredCase, result: Exclude<CaseResult, { kind: 'passed' }>): void {
  const about = [testCase.rule ?? testCase.rules, testCase.title].filter((part) => part !== undefined).map(String);
  console.log(`FAILED ${domain} ${testCase.id}${about.length > 0 ? ` [${about.join(' | ')}]` : ''}`);
  if (result.kind === 'unanswered') {
    console.log(`  unanswered: ${result.why}`);
    return;
  }
  for (const { at, expected, found } of result.differences) {
    console.log(`  at ${at}`);
    console.log(`    expected ${show(expected)}`);
    console.log(`    found    ${show(found)}`);
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

process.on('unhandledRejection', (reason) => {
  console.log(`a rejection that nobody handles: ${reason instanceof Error ? reason.stack : messageOf(reason)}`);
  process.exitCode = 1;
});
main(process.argv.slice(2)).then(
  (code) => process.exit(process.exitCode ?? code),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exit(1);
  },
);
