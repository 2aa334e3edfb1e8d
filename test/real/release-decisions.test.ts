import { defineReleaseDecisions } from '../attacks/define-release-decisions';

defineReleaseDecisions('real');
