import { defineHpaHouse } from '../house/hpa-house';

defineHpaHouse('real');
