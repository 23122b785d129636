import { expect, test } from 'vitest';
import { logEvent } from './log-events.ts';
import { createLogger } from './logger.ts';

function writtenBy(write: (logger: ReturnType<typeof createLogger>) => void): unknown {
  let written = '';
  write(createLogger('settlement', 'info', { write: (text) => void (written += text) }));
  return written === '' ? undefined : JSON.parse(written);
}

test('a line has the code, the ids, and the level and message of the catalogue', () => {
  const line = writtenBy((logger) => logEvent(logger, 'batch_reversed', { network: 'eip155:1', batchId: 'bat_1' }));
  expect(line).toMatchObject({
    level: 50,
    service: 'settlement',
    event: 'batch_reversed',
    network: 'eip155:1',
    batchId: 'bat_1',
    msg: 'A reorg reversed a batch; its lane settles the payments again.',
  });
});

test('a line below the level of the service is not written', () => {
  expect(writtenBy((logger) => logEvent(logger, 'engine_debug', { text: 'x' }))).toBeUndefined();
});

test('a line that a library writes by itself has a code as well', () => {
  expect(writtenBy((logger) => logger.info('Server listening'))).toMatchObject({
    event: 'library_message',
    msg: 'Server listening',
  });
  expect(writtenBy((logger) => logger.child({ requestId: 'req_1' }).error(new Error('broken')))).toMatchObject({
    event: 'library_message',
    requestId: 'req_1',
    err: { message: 'broken' },
  });
});
