import { defineLabelRights } from './define-label-rights';

defineLabelRights('embedded');
