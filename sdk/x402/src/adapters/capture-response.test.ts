import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { captureResponse } from './capture-response.ts';

test('a handler has ten minutes to end its answer after the buyer has gone, also one that left before it began', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const gone = (before = false) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    if (before) response.destroy();
    const { answer } = captureResponse(response);
    if (!before) response.emit('close');
    return { response, ended: answer.then(({ body }) => Buffer.from(body).toString(), String) };
  };
  const [late, never, left] = [gone(), gone(), gone(true)];
  await vi.advanceTimersByTimeAsync(599_000);
  late.response.end('kept');
  await vi.advanceTimersByTimeAsync(1_000);
  const unended = expect.stringContaining('did not end');
  expect(await Promise.all([late.ended, never.ended, left.ended])).toEqual(['kept', unended, unended]);
  expect(vi.getTimerCount()).toBe(0);
});
