import { summaryRows } from '../readings';
import { anyOf, condition, currentIf, failedIf, has, is, lacks, progressingIf, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

const BY = 'external-secrets';

/**
 * The operator retries for ever and says Ready False while it cannot read or write a secret, so False is a failure that lasts until
 * somebody mends store, key or rights.
 */
export const EXTERNAL_SECRETS_RULES: readonly StatusRule[] = [
  ...rulesFor(
    'external-secrets.io',
    ['ExternalSecret', 'SecretStore', 'ClusterSecretStore', 'PushSecret', 'ClusterPushSecret'],
    summaryRows({ by: BY }),
  ),
  {
    kind: 'external-secrets.io/ClusterExternalSecret',
    rows: [
      failedIf(
        [
          has('.status.failedNamespaces'),
          anyOf(condition('NotReady', 'True'), condition('PartiallyReady', 'True'), condition('Ready', 'False')),
        ],
        '{condition.message}: {.status.failedNamespaces[*].namespace} ({.status.failedNamespaces[*].reason})',
      ),
      currentIf([condition('Ready', 'True'), lacks('.status.failedNamespaces')], 'Namespaces: {.status.provisionedNamespaces[*]|none}'),
      failedIf(anyOf(condition('NotReady', 'True'), condition('PartiallyReady', 'True'))),
      ...summaryRows({ by: BY, says: 'Namespaces: {.status.provisionedNamespaces[*]|none}' }),
    ],
  },
  // The operator of GoDaddy that came before; it says SUCCESS, or ERROR and why.
  {
    kind: 'kubernetes-client.io/ExternalSecret',
    rows: [
      currentIf(is('.status.status', 'SUCCESS'), 'ExternalSecret was synced at {.status.lastSync|an unknown time}'),
      failedIf({ cel: "object.status.status.startsWith('ERROR')" }, '{.status.status}', 'SyncFailed'),
      progressingIf(has('.status.status'), 'ExternalSecret is {.status.status}', 'Syncing'),
      unobserved('kubernetes-external-secrets'),
    ],
  },
];
