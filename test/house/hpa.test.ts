import { defineHpaHouse } from './hpa-house';

defineHpaHouse('embedded');
