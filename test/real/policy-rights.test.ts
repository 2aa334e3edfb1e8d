import { definePolicyRights } from '../attacks/define-policy-rights';

definePolicyRights('real');
