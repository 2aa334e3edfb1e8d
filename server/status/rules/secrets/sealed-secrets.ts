import { summaryRows } from '../readings';
import { currentIf, failedIf, is, rulesFor, unobserved } from '../rows';
import type { StatusRule } from '../rule';

/** Operators that make a Secret out of something else, each with one condition for it. */
export const SEALED_SECRETS_RULES: readonly StatusRule[] = [
  { kind: 'bitnami.com/SealedSecret', rows: [...summaryRows({ by: 'sealed-secrets', type: 'Synced', says: 'Secret is unsealed' })] },
  { kind: 'onepassword.com/OnePasswordItem', rows: [...summaryRows({ by: '1Password', says: 'Secret is synced' })] },
  { kind: 'trust.cert-manager.io/Bundle', rows: [...summaryRows({ by: 'trust-manager', type: 'Synced' })] },
  // A connection or an authentication of the Vault operator says whether Vault took it.
  ...rulesFor(
    'secrets.hashicorp.com',
    ['VaultConnection', 'VaultAuth', 'VaultAuthGlobal', 'HCPAuth'],
    [
      currentIf(is('.status.valid', true), '{.kind} is valid'),
      failedIf(is('.status.valid', false), '{.status.error|Vault does not accept it}', 'Invalid'),
      unobserved('the Vault Secrets Operator'),
    ],
  ),
];
