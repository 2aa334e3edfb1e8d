import { defineStatusHouse } from '../house/status-house';

defineStatusHouse('real');
