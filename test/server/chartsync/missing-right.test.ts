import { expect, it } from 'vitest';
import { missingRightCommand } from '@/server/chartsync/cluster/missing-right';

const refusal = (where: string, { user = 'system:serviceaccount:pay:slipway-charts', of = '"widgets" in API group "example.com"' } = {}) =>
  `INSTALLATION FAILED: widgets "a" is forbidden: User "${user}" cannot get resource ${of} ${where}`;
const usual = { namespace: 'pay', name: 'slipway-charts' };
const VERBS = 'get,list,watch,create,update,patch,delete';

it('[issue 12.3] a right that Helm lacks is given by a command: of the namespace by a grant, elsewhere by a role for the account that it is', () => {
  expect(missingRightCommand(refusal('in the namespace "pay"'), usual)).toBe(
    'slipway grant pay --kinds widgets.example.com | kubectl apply -f -',
  );
  expect(missingRightCommand(refusal('in the namespace "shop"'), usual)).toBe(
    `kubectl create role slipway-charts-of-pay:widgets -n shop --verb=${VERBS} --resource=widgets.example.com && kubectl create rolebinding slipway-charts-of-pay:widgets -n shop --role=slipway-charts-of-pay:widgets --serviceaccount=pay:slipway-charts`,
  );
  expect(missingRightCommand(refusal('at the cluster scope', { of: '"namespaces" in API group ""' }), usual)).toBe(
    `kubectl create clusterrole slipway-charts-of-pay:namespaces --verb=${VERBS} --resource=namespaces && kubectl create clusterrolebinding slipway-charts-of-pay:namespaces --clusterrole=slipway-charts-of-pay:namespaces --serviceaccount=pay:slipway-charts`,
  );
});

it('[design 8] no command is made of what a chart says of others, or of names that are none', () => {
  expect(missingRightCommand(refusal('at the cluster scope', { user: 'system:serviceaccount:kube-system:admin' }), usual)).toBeUndefined();
  expect(missingRightCommand(refusal('at the cluster scope', { of: '"$(rm -rf /)" in API group ""' }), usual)).toBeUndefined();
  expect(missingRightCommand(refusal('in the namespace "pay; true"'), usual)).toBeUndefined();
});
