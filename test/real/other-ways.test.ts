import { defineOtherWays } from '../attacks/define-other-ways';

defineOtherWays('real');
