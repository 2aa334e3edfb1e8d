import { defineRolloutHouse } from '../house/rollout-house';

defineRolloutHouse('real');
