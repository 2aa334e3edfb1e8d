import { SETTINGS } from './config';

const WIDTH = 100;
const INDENT = '      ';

/** True when the command line asks what may stand on it. */
export function wantsHelp(args: readonly string[] = process.argv.slice(2)): boolean {
  return args.some((argument) => argument === '--help' || argument === '-h');
}

/** The settings as text for a terminal. */
export function formatUsage(): string {
  const lines = Object.values(SETTINGS).flatMap((setting) => [
    '',
    `  ${'flag' in setting ? `--${setting.flag} VALUE, ` : ''}${setting.env.join(', ')}`,
    ...wrap(`${plain(setting.meaning)} Default: ${plain(setting.fallback)}.`),
  ]);
  return `Usage: npm start -- [--OPTION VALUE]...

Starts the Slipway server. Each setting is given as an option or in the environment; the option wins.
${lines.join('\n')}
`;
}

/** Without the marks of the page that is made from the same table; what it links to lies in docs/. */
function plain(text: string): string {
  return text.replaceAll('`', '').replace(/\[([^\]]*)\]\(([^)#]*)[^)]*\)/g, '$1 (docs/$2)');
}

function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(INDENT + word);
  }
  return lines;
}
