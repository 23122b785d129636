import type { LogEventEntries } from './log-event.ts';

/** Lines that every service may write. */
export const PROCESS_EVENTS = {
  service_listening: {
    level: 'info',
    message: 'The service listens.',
    whatToDo: 'Nothing. The line names its addresses.',
  },
  service_stopping: {
    level: 'info',
    message: 'The service stops: it finishes what runs and takes nothing new.',
    whatToDo: 'Nothing.',
  },
  service_stopped: {
    level: 'info',
    message: 'The service has stopped.',
    whatToDo: 'Nothing.',
  },
  foreign_settings: {
    level: 'warn',
    message:
      'The process was given settings of other services or of the command. It has removed them and does not use them.',
    whatToDo:
      'Start the service with its own settings alone ([config](config.md)): whoever takes over the process may still find the secrets among `names`.',
  },
  process_crashed: {
    level: 'fatal',
    message: 'The process ends because nothing caught an error.',
    whatToDo: 'Start the process again, and report `err`. No payment is lost: the database has all of them.',
  },
  request_failed: {
    level: 'error',
    message: 'A request failed for an unexpected reason and was answered with internal_error.',
    whatToDo: 'Report `err`. The caller may repeat the request.',
  },
  database_connection_lost: {
    level: 'warn',
    message: 'A database connection was lost; the service opens another one.',
    whatToDo: 'Nothing if the database was restarted. Otherwise look at the database and at the network between.',
  },
  database_not_measured: {
    level: 'warn',
    message: 'The metrics that come from the database could not be read.',
    whatToDo:
      'Look at the database: [SettlementUnmeasured](../operate/alerts.md#settlementunmeasured), [WebhooksUnmeasured](../operate/alerts.md#webhooksunmeasured).',
  },
  lane_not_woken: {
    level: 'warn',
    message: 'A lane could not be woken; its payments stay queued.',
    whatToDo:
      'Nothing for a single line: settlement finds the lane by itself. If it repeats, look at [the engine](../operate/engine.md).',
  },
  reader_not_woken: {
    level: 'warn',
    message: 'The chain reader could not be asked to run sooner; it runs at its next interval.',
    whatToDo: 'Nothing for a single line. If it repeats, look at [the engine](../operate/engine.md).',
  },
  library_message: {
    level: 'info',
    message: 'A library that the service uses wrote this line.',
    whatToDo: 'Read `msg`, which is the text of the library. The level is the one that the library chose.',
  },
} as const satisfies LogEventEntries;

/** Lines about the engine (Restate), written by the services that it drives. */
export const ENGINE_EVENTS = {
  engine_registered: {
    level: 'info',
    message: 'The process has registered its work with the engine.',
    whatToDo: 'Nothing.',
  },
  engine_unreachable: {
    level: 'warn',
    message: 'The engine does not answer; the process asks again every second.',
    whatToDo: 'Look at [the engine](../operate/engine.md): payments and deliveries wait until it answers.',
  },
  engine_work_taken_over: {
    level: 'warn',
    message: 'Another process does not answer; this process continues its work.',
    whatToDo:
      'Find out why that process does not answer: [cluster](../operate/cluster.md). `invocations` is how much was taken over.',
  },
  engine_debug: {
    level: 'debug',
    message: 'The engine library reports a detail.',
    whatToDo: 'Nothing. `text` is what the library says.',
  },
  engine_warning: {
    level: 'warn',
    message: 'The engine library warns.',
    whatToDo: 'Read `text`. Work that failed is tried again.',
  },
  engine_error: {
    level: 'error',
    message: 'The engine library reports an error.',
    whatToDo: 'Read `text`, and look at [the engine](../operate/engine.md).',
  },
} as const satisfies LogEventEntries;
