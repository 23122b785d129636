/** Connection refused, lost or not given, server starting or stopping. The statement may have been committed. */
const LOST_CODE = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08\w{3}|53\w{3}|57P\w{2})$/;
/** Messages of the driver that come without a code. */
const LOST_MESSAGE =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;

export function isConnectionLost(problem: unknown): boolean {
  const { code, message } = (problem ?? {}) as { code?: unknown; message?: unknown };
  return LOST_CODE.test(String(code)) || LOST_MESSAGE.test(String(message));
}
