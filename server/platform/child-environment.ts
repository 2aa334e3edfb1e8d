const INHERITED = [
  'PATH',
  'LANG',
  'TZ',
  'TMPDIR',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

/** What a child process inherits of this one's environment: where programs and certificates are and how to get out, and no setting or credential. */
export function childEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): Readonly<Record<string, string>> {
  return Object.fromEntries(INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
