/** A shop's server creates the intent of an order under the order's number; each shop counts by itself. */
export const orderKey = (number: number): string => `order-${number}`;
