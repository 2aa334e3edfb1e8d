import { defineReleaseDecisions } from './define-release-decisions';

defineReleaseDecisions('embedded');
