import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGolden } from './golden-files';
import { groups } from './groups';
import type { Subject } from './scene';
import { playCase } from './scene';

/** Runs every case on a subject and compares its answers with those of the real API server. */
export function defineContract(name: string, makeSubject: () => Promise<Subject>): void {
  describe(`contract: ${name}`, () => {
    let subject: Subject | undefined;
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(async () => {
      await subject?.[Symbol.asyncDispose]();
    });
    for (const [group, cases] of Object.entries(groups)) {
      const golden = readGolden(group);
      describe(group, () => {
        for (const contractCase of cases) {
          it(contractCase.title, async () => {
            if (subject === undefined) throw new Error(`${name} did not start`);
            expect(await playCase(subject, contractCase)).toEqual(golden[contractCase.title]);
          });
        }
      });
    }
  });
}
