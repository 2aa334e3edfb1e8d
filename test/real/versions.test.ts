import { defineVersionsHouse } from '../house/versions-house';

defineVersionsHouse('real');
