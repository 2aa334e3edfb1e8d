import type { Finding } from '@/lib/contract/finding';

/** What is not in order, a paragraph each, with the command that mends it on a line of its own. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'no problems found with modes, definitions, policies, rights, watches and programs';
  return findings
    .map(({ area, sentence, remedy }) => [`${area}: ${sentence}`, ...(remedy === null ? [] : [`  ${remedy}`])].join('\n'))
    .join('\n');
}
