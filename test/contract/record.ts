import { writeGolden } from './golden-files';
import { groups } from './groups';
import { connectReal } from './real-subject';
import type { Noted } from './scene';
import { playCase } from './scene';

// Records the answers of the API server of KUBECONFIG: `KUBECONFIG=… tsx test/contract/record.ts [GROUP…]`.
const wanted = process.argv.slice(2);
const subject = connectReal();
for (const [group, cases] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(group)) continue;
  const golden: Record<string, readonly Noted[]> = {};
  for (const contractCase of cases) golden[contractCase.title] = await playCase(subject, contractCase);
  writeGolden(group, golden);
}
await subject[Symbol.asyncDispose]();
