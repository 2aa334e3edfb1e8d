import { defineMovedPlanHouse } from './moved-plan-house';

defineMovedPlanHouse('embedded');
