/** Connection refused or lost, pool exhausted, server starting or stopping, statement or lock timeout. */
const AWAY_CODE = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08\w{3}|53\w{3}|57\w{3}|55P03)$/;
/** Messages of the driver that come without a code. */
const AWAY_MESSAGE =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;

/** Whether a statement failed for no fault of its own. It may have been committed. */
export function isDatabaseAway(problem: unknown): boolean {
  const { code, message } = (problem ?? {}) as { code?: unknown; message?: unknown };
  return AWAY_CODE.test(String(code)) || AWAY_MESSAGE.test(String(message));
}
