import { LONG_TESTS } from './registry';

const [name = '', ...args] = process.argv.slice(2);
const entry = LONG_TESTS[name];
if (entry === undefined) {
  const known = Object.entries(LONG_TESTS).map(([each, { usage }]) => `  npm run test:long -- ${each} ${usage}`);
  console.error(`test:long must be the name of a long test, found ${name || 'none'}:\n${known.join('\n')}`);
  process.exitCode = 2;
} else {
  const test = await entry.load();
  process.exitCode = (await test(args)) ? 0 : 1;
}
