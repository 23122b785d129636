// Answers requests that Node cannot parse as HTTP. They reach no route, but get an error body of the same shape.
import type { Socket } from 'node:net';
import type { Clock } from '@svc-pay/core';
import { ERRORS, errorBodyOf } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import { errorCodeOf } from './error-code-of.ts';

export function answerBrokenRequest(clock: Clock, docsUrl: string) {
  return (problem: Error & { code?: string }, socket: Socket): void => {
    if (problem.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const code = errorCodeOf(problem) === 'request_timeout' ? 'request_timeout' : 'malformed_request';
    const requestId = newId('request', clock.nowMs());
    // `unknown`: the request may have carried a header that was submitted before.
    const body = JSON.stringify(errorBodyOf({ code, requestId, docsUrl, moneyMoved: 'unknown' }));
    const { status } = ERRORS[code];
    socket.end(
      `HTTP/1.1 ${status} ${status === 408 ? 'Request Timeout' : 'Bad Request'}\r\n` +
        `Content-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\nCache-Control: no-store\r\n` +
        `Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}
