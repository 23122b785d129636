// Records new intents in one statement: each with its code, its acceptances, its event with deliveries, the metadata by which
// it is found and the audit entry of a person.
import { ENDPOINT_STATUS, type EventDraft, type IntentRecord } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { insertText, sameNames } from '../database/insert-text.ts';
import { type Columns, columnArrays } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import { insertEvent } from '../event/insert-event.ts';
import {
  ACCEPTANCE_COLUMNS,
  AUDIT_COLUMNS,
  EVENT_COLUMNS,
  INTENT_COLUMNS,
  METADATA_COLUMNS,
  type NewIntent,
} from './intent-columns.ts';

/** Decides which of the asked intents are recorded. */
export type IntentGate<Gated> = {
  /** Read from what is asked beside each intent. */
  readonly columns: Columns<Gated>;
  /** An insert that reads `asked`: the columns of intents and of the gate. */
  readonly insert: string;
  /** Columns of the insert that name the intents to record: they are equal to those of `asked`. */
  readonly returned: Readonly<Record<string, string>>;
};

export type AskedIntent<Gated> = { readonly record: IntentRecord; readonly gated: Gated };

/** Ids of the intents that are recorded. Either all rows of them are written or, if it throws, none of any. */
export type RecordAsked<Gated> = (
  pool: pg.Pool,
  asked: readonly AskedIntent<Gated>[],
) => Promise<ReadonlySet<Id<'paymentIntent'>>>;

/** Without a gate all intents are recorded. `name` begins the names of the prepared statements. */
export function createRecorder<Gated>(name: string, gate?: IntentGate<Gated>): RecordAsked<Gated> {
  const made = new Map<string, Statement<Gated>>();
  return async (pool, asked) => {
    const rows = rowsOf(asked);
    const parts = { listed: rows.listed.length > 0, audited: rows.audited.length > 0 };
    const full = `${name}${parts.listed ? '-listed' : ''}${parts.audited ? '-audited' : ''}`;
    const statement = made.get(full) ?? statementOf(parts, gate);
    made.set(full, statement);
    const { text, values } = statement;
    const recorded = await pool.query<{ id: Id<'paymentIntent'> }>({ name: full, text, values: values(rows) });
    return new Set(recorded.rows.map(({ id }) => id));
  };
}

type RowOf<Given> = Given extends Columns<infer Row> ? Row : never;
type Rows<Gated> = {
  readonly intents: readonly (NewIntent & Gated)[];
  readonly offered: readonly RowOf<typeof ACCEPTANCE_COLUMNS>[];
  readonly listed: readonly RowOf<typeof METADATA_COLUMNS>[];
  readonly audited: readonly RowOf<typeof AUDIT_COLUMNS>[];
};

function rowsOf<Gated>(asked: readonly AskedIntent<Gated>[]): Rows<Gated> {
  const records = asked.map(({ record }) => record);
  return {
    intents: asked.map(({ record, gated }) => ({ intent: record.intent, event: eventOf(record), ...gated })),
    offered: records.flatMap(({ intent, acceptances }) =>
      acceptances.map((offered, position) => ({ intent, position, ...offered })),
    ),
    listed: records.flatMap(({ intent, listedMetadata = [] }) => listedMetadata.map((digest) => ({ intent, digest }))),
    audited: records.flatMap(({ intent, auditedKeyId }) =>
      auditedKeyId === undefined ? [] : { intent, keyId: auditedKeyId },
    ),
  };
}

function eventOf({ intent, events }: IntentRecord): EventDraft {
  const [event, ...others] = events;
  if (event === undefined || others.length > 0)
    throw new Error(`new intent ${intent.id} has ${events.length} events instead of one`);
  return event;
}

/** A part that few intents have is in the statement only if one of the group has it. */
type Parts = { readonly listed: boolean; readonly audited: boolean };

type Statement<Gated> = { readonly text: string; readonly values: (rows: Rows<Gated>) => unknown[] };

const SUBSCRIBED = `array(
        select endpoint.id from svc.endpoints endpoint
        where endpoint.account_id = asked.account_id and endpoint.mode = asked.mode
          and endpoint.status ${sqlIs(ENDPOINT_STATUS.enabled)} and asked.event_type = any (endpoint.event_types)
      )`;

const namesOf = (columns: object) => sameNames(...Object.keys(columns));

function statementOf<Gated>({ listed, audited }: Parts, gate: IntentGate<Gated> | undefined): Statement<Gated> {
  const intents = columnArrays<NewIntent & Gated>({ ...INTENT_COLUMNS, ...EVENT_COLUMNS, ...gate?.columns });
  const offers = columnArrays(ACCEPTANCE_COLUMNS, intents.next);
  const metadata = columnArrays(METADATA_COLUMNS, offers.next);
  const audit = columnArrays(AUDIT_COLUMNS, listed ? metadata.next : offers.next);
  const ofRecorded = gate === undefined ? '' : `where ${isIn('intent_id', 'select id from recorded')}`;
  const text = `
    with asked as materialized (select * from ${intents.unnest('asked')}),
    ${gate === undefined ? '' : `gate as (${gate.insert} returning ${Object.values(gate.returned).join(', ')}),`}
    recorded as materialized (
      select asked.*, ${SUBSCRIBED} as subscribed from asked ${gate === undefined ? '' : `where ${passes(gate)}`}
    ),
    written_intent as (
      ${insertText(
        'svc.intents',
        { ...namesOf(INTENT_COLUMNS), updated_at: 'created_at', event_sequence: '1' },
        'from recorded',
      )}
    ),
    written_code as (
      ${insertText(
        'svc.intent_codes',
        { ...sameNames('intent_code', 'account_id', 'mode'), intent_id: 'id' },
        'from recorded',
      )}
    ),
    written_acceptance as (
      ${insertText('svc.acceptances', namesOf(ACCEPTANCE_COLUMNS), `from ${offers.unnest('offered')} ${ofRecorded}`)}
    ),
    ${listed ? `written_metadata as (${insertText('svc.intent_metadata', namesOf(METADATA_COLUMNS), `from ${metadata.unnest('listed')} ${ofRecorded}`)}),` : ''}
    ${audited ? `written_audit as (${insertText('svc.audit', AUDIT_ENTRY, `from ${audit.unnest('audited')} ${ofRecorded}`)}),` : ''}
    ${insertEvent(EVENT, RECEIVERS, 'recorded')}
    select id from recorded`;
  return {
    text,
    values: (rows) => [
      ...intents.values(rows.intents),
      ...offers.values(rows.offered),
      ...(listed ? metadata.values(rows.listed) : []),
      ...(audited ? audit.values(rows.audited) : []),
    ],
  };
}

/** SQL: is the row in the set? No join: the planner hashes the set, and a nested loop would compare each with each. */
const isIn = (columns: string, set: string) => `((${columns}) in (${set})) is true`;

const passes = ({ returned }: Pick<IntentGate<never>, 'returned'>) =>
  isIn(Object.keys(returned).join(', '), `select ${Object.values(returned).join(', ')} from gate`);

const AUDIT_ENTRY = {
  ...sameNames('id', 'account_id', 'mode', 'actor', 'created_at'),
  action: "'intent.created'",
  target: 'intent_id',
  detail: "'{}'::jsonb",
};

const EVENT = {
  ...sameNames('account_id', 'mode', 'request_id', 'api_version', 'body_before', 'body_after', 'created_at'),
  id: 'event_id',
  type: 'event_type',
  intent_id: 'id',
  payment_id: 'null',
  sequence: '1',
};

const RECEIVERS = {
  count: 'cardinality(subscribed)',
  from: 'recorded cross join lateral unnest(subscribed) as receiver (endpoint_id)',
  endpoint_id: 'endpoint_id',
};
