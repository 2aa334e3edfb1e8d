const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\b(?:OPR|Opera)\/(\d+)/, 'Opera'],
  [/\bVivaldi\/(\d+)/, 'Vivaldi'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\bHeadlessChrome\/(\d+)/, 'Headless Chrome'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];
const PRODUCT = /^([A-Za-z][\w.+-]{0,30})(?:\/([\w.+-]{1,20}))?/;

/** What signed in, in plain words: `Firefox 144 on Linux`, `slipway command`, `curl 8.5.0`. A client says of itself what it likes. */
export function formatClient({ agent, isCommand }: { readonly agent: string | null; readonly isCommand: boolean }): string {
  if (isCommand) return 'slipway command';
  if (agent === null) return 'Unknown browser';
  const system = SYSTEMS.find(([sign]) => sign.test(agent))?.[1];
  for (const [sign, name] of BROWSERS) {
    const version = sign.exec(agent)?.[1];
    if (version !== undefined) return `${name} ${version}${system === undefined ? '' : ` on ${system}`}`;
  }
  const [, product, version] = PRODUCT.exec(agent) ?? [];
  if (product === undefined || product === 'Mozilla') return `Unknown browser${system === undefined ? '' : ` on ${system}`}`;
  return version === undefined ? product : `${product} ${version}`;
}
