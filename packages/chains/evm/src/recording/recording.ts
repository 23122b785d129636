// What nodes were asked and what they answered, as lines of JSON: a head, then one exchange per line. An exchange is one
// HTTP request with all of its calls, because providers differ in that too: one error for a whole batch, answers in another
// order, a status of HTTP instead of an answer.
import * as fs from 'node:fs';

export type RecordingHead = {
  readonly recording: 1;
  /** CAIP-2. */
  readonly network: string;
  /** Who answered, without anything that could be a key. */
  readonly provider: string;
  readonly recordedAt: string;
};

export type RecordedCall = { readonly method: string; readonly params: unknown };

export type RecordedAnswer = { readonly result: unknown } | { readonly error: unknown };

export type Exchange = {
  /** Since the recording began. */
  readonly atMs: number;
  readonly ms: number;
  readonly calls: readonly RecordedCall[];
  /** The calls were asked as a list, also if there is one. */
  readonly batch: boolean;
  /** 0: the node did not answer. */
  readonly status: number;
  readonly retryAfter?: string;
  /** In the order of the calls; null where a call was left without an answer. Absent: see `body`. */
  readonly answers?: readonly (RecordedAnswer | null)[];
  /** Indexes of `answers` in the order in which they came, if it is not that of the calls. */
  readonly order?: readonly number[];
  /** An answer that is not one answer per call: an error for the whole batch, or no JSON at all. */
  readonly body?: unknown;
};

export type Recording = { readonly head: RecordingHead; readonly exchanges: readonly Exchange[] };

/** Throws for a file that is no recording. A last line that a killed recorder left unfinished is not read. */
export function readRecording(file: string): Recording {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const unfinished = lines.pop() ?? '';
  const [first = '', ...rest] = lines;
  const head = JSON.parse(first === '' ? unfinished : first) as RecordingHead;
  if (head.recording !== 1) throw new Error(`${file} is no recording of version 1`);
  return { head, exchanges: rest.map((line) => JSON.parse(line) as Exchange) };
}

/** The same for the same calls, whatever the ids and the order of fields. */
export function keyOfCalls(calls: readonly RecordedCall[], batch: boolean): string {
  return JSON.stringify([batch, calls.map(({ method, params }) => [method, sorted(params ?? [])])]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, sorted(field)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
