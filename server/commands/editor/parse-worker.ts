import { parentPort } from 'node:worker_threads';
import type { TextTask } from './answer-text';
import { answerText } from './answer-text';

// The program of a parsing thread: says that it is ready, then answers one text after another.

parentPort?.on('message', (task: TextTask) => parentPort?.postMessage(answerText(task)));
parentPort?.postMessage('ready');
