import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { grantCommands } from '@/server/auth/rights/grant-commands';

const RIGHT = { verb: 'get', group: 'core.oam.dev', resource: 'applications', namespace: 'shop', name: 'web' } as const;

/** What a shell makes of commands: each with the words that kubectl would be given. */
function wordsIn(commands: readonly string[]): readonly (readonly string[])[] {
  const script = `kubectl() { for word in "$@"; do printf '%s\\037' "$word"; done; printf '\\036'; }\n${commands.join('\n')}`;
  const said = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: process.env });
  return said
    .split('\u001e')
    .slice(0, -1)
    .map((command) => command.split('\u001f').slice(0, -1));
}

describe('the commands that give what is missing', () => {
  it('[issue 14.3] give exactly the right: in its namespace, of its name, to the person', () => {
    expect(grantCommands('ann@example.com', [RIGHT])).toEqual([
      'kubectl create role slipway-get-applications-web --verb=get --resource=applications.core.oam.dev --resource-name=web --namespace=shop',
      'kubectl create rolebinding slipway-get-applications-web-ann-example.com --role=slipway-get-applications-web --user=ann@example.com --namespace=shop',
    ]);
    expect(grantCommands('system:serviceaccount:ci:robot', [{ verb: 'get', group: '', resource: 'pods', subresource: 'log' }])).toEqual([
      'kubectl create clusterrole slipway-get-pods-log --verb=get --resource=pods/log',
      'kubectl create clusterrolebinding slipway-get-pods-log-system-serviceaccount-ci-robot --clusterrole=slipway-get-pods-log --serviceaccount=ci:robot',
    ]);
  });

  it.each(["'; touch /tmp/owned; '", '$(id)', '`id`', 'a b', 'a&&b', '--as=system:admin', '"', '\\', "it's", '* ?', '~root', '#x'])(
    '[issue 14.3] hold a person who calls themselves %s for that and no more',
    (user) => {
      const [role, binding] = wordsIn(grantCommands(user, [RIGHT]));
      expect(role).toHaveLength(7);
      expect(binding).toHaveLength(6);
      expect(binding).toContain(`--user=${user}`);
    },
  );

  it.each(['ann\nkubectl delete ns shop', 'ann\u001b[2K', 'ann\u202eroot', 'ann\u0000', 'ann\u2028x'])(
    '[issue 14.3] are not told for a name with signs that nobody sees: %j',
    (user) => {
      expect(grantCommands(user, [RIGHT])).toEqual([]);
    },
  );
});
