import { defineOtherWays } from './define-other-ways';

defineOtherWays('embedded');
