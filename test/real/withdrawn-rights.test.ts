import { defineWithdrawnRights } from '../attacks/define-withdrawn-rights';

defineWithdrawnRights('real');
