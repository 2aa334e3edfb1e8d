import { defineMovedPlanHouse } from '../house/moved-plan-house';

defineMovedPlanHouse('real');
