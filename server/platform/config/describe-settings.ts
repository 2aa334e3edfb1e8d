import type { Setting } from './config';
import { SETTINGS } from './config';

/** The settings as a page of Markdown. */
export function describeSettings(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting) => {
    const flag = setting.flag ? `\`--${setting.flag}\`` : '–';
    return `| ${flag} | ${setting.env.map((name) => `\`${name}\``).join(', ')} | ${setting.fallback} | ${setting.meaning} |`;
  });
  return `# Configuration

Settings are given on the command line or in the environment; the command line wins. A wrong value ends the start with one sentence each.
This page is made by \`node scripts/write-docs.mjs\` from \`server/platform/config\`.

| flag | environment | default | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
