// What a vitest run came to, for the process that started it: counts, and everything that failed, also what no test is to blame for.
import { writeFileSync } from 'node:fs';

/** Writes `{ passed, failed, failures: [{ title, text }] }` to the file that SLIPWAY_RESULTS names. */
export default class ResultsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const countOf = (state) => tests.filter((test) => test.result().state === state).length;
    const failures = [...modules.flatMap(describeModule), ...describeUnhandled(unhandledErrors)];
    writeFileSync(process.env.SLIPWAY_RESULTS, JSON.stringify({ passed: countOf('passed'), failed: countOf('failed'), failures }));
  }
}

function describeModule(module) {
  const file = module.relativeModuleId;
  const parts = [...module.children.allTests('failed'), ...[...module.children.allSuites()].filter((suite) => suite.errors().length > 0)];
  const found = parts.map((part) => describe(`${file} > ${part.fullName}`, part.type === 'test' ? part.result().errors : part.errors()));
  const errors = module.errors();
  return errors.length > 0 ? [describe(file, errors), ...found] : found;
}

const describe = (title, errors) => ({ title, text: errors.map(({ message, stack }) => stack || message).join('\n') });

/** One entry for what came many times, as from a loop. */
function describeUnhandled(errors) {
  const times = new Map();
  for (const error of errors) {
    const { text } = describe('', [error]);
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  return [...times].map(([text, count]) => ({ title: `error outside of tests, ${count === 1 ? 'once' : `${count} times`}`, text }));
}
