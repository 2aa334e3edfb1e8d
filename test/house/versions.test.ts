import { defineVersionsHouse } from './versions-house';

defineVersionsHouse('embedded');
