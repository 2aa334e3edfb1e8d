import { defineContract } from '@/test/contract/contract';
import { connectReal } from '@/test/contract/real-subject';

defineContract('a real control plane', async () => connectReal());
