import { defineRolloutHouse } from './rollout-house';

defineRolloutHouse('embedded');
