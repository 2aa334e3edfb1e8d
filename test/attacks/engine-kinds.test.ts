import { defineEngineKinds } from './define-engine-kinds';

defineEngineKinds('embedded');
