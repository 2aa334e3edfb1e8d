import { defineLabelRights } from '../attacks/define-label-rights';

defineLabelRights('real');
