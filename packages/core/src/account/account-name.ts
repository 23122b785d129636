const MAX_LENGTH = 200;
/** Commands a terminal, or is not seen. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether people can be shown this as the name of an account or an operator. */
export function isPrintableName(text: string): boolean {
  return text !== '' && text.length <= MAX_LENGTH && text.trim() === text && !UNPRINTABLE.test(text);
}
