import { defineEngineKinds } from '../attacks/define-engine-kinds';

defineEngineKinds('real');
