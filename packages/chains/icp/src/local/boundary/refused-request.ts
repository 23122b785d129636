/** A request that the boundary does not take; the text goes to whoever sent it. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const malformed = (message: string) => new RefusedRequest(400, message);
export const forbidden = (message: string) => new RefusedRequest(403, message);
